/**
 * Steps written by hand, as fast as they can be thought of, against the translated ones: how much the translator gives away.
 * In: JSON with a figure's kernels and values; out: JSON, microseconds of either step, alternating, and how far they are apart.
 */
import { readFileSync } from "node:fs";

import { loadKernels, Run } from "../widgets/src/run/program.js";

/** A step of pre-training: all that moves and the losses, without what is watched; sentences of no weight are left out. */
function acquire(n, r, m, kappa, context) {
  const tokens = n + r + 2, outputs = 2 * n + r + 3, row = outputs * m, answers = tokens;
  const pre = new Float64Array(row), logit = new Float64Array(outputs), delta = new Float64Array(outputs);
  const share = new Float64Array(3), score = new Float64Array(3), pull = new Float64Array(3), base = new Int32Array(3);

  /** One prompt of `count` tokens whose features begin at `base`; returns its loss, adds to `down`, leaves pulls. */
  function prompt(a, down, count, weight, target) {
    let most = -Infinity, sum = 0;
    for (let t = 0; t < count; t++) most = Math.max(most, score[t]);
    for (let t = 0; t < count; t++) sum += share[t] = Math.exp(score[t] - most);
    for (let t = 0; t < count; t++) share[t] /= sum;
    const [i, j, k] = base, last = count - 1;
    const x = share[0] + (last === 0), y = count > 1 ? share[1] + (last === 1) : 0, z = count > 2 ? share[2] + 1 : 0;
    let top = 0;
    for (let v = 0, p = 0; v < outputs; v++) {
      let on = 0;
      for (const end = p + m; p < end; p++) {
        const h = x * a[i + p] + y * a[j + p] + z * a[k + p];
        pre[p] = h;
        if (h > 0) on += h;
      }
      logit[v] = on / m;
      if (logit[v] > top) top = logit[v];
    }
    let total = 0;
    for (let v = 0; v < outputs; v++) total += delta[v] = Math.exp(logit[v] - top);
    for (let v = 0; v < outputs; v++) delta[v] *= -weight / total;
    let loss = Math.log(total) + top;
    for (const [v, part] of target) {
      delta[v] += weight * part;
      loss -= part * logit[v];
    }
    let e = 0, f = 0, g = 0;
    for (let v = 0, p = 0; v < outputs; v++) {
      const d = delta[v];
      for (const end = p + m; p < end; p++) {
        if (!(pre[p] > 0)) continue;
        e += d * a[i + p];
        f += d * a[j + p];
        g += d * a[k + p];
        down[i + p] += x * d;
        if (count > 1) down[j + p] += y * d;
        if (count > 2) down[k + p] += z * d;
      }
    }
    [pull[0], pull[1], pull[2]] = [e / m, f / m, g / m];
    let mean = 0;
    for (let t = 0; t < count; t++) mean += share[t] * pull[t];
    for (let t = 0; t < count; t++) pull[t] = share[t] * (pull[t] - mean);
    return weight * loss;
  }

  return (ins, outs) => {
    const rate = ins[16][0], a = outs[0], down = outs[8], moved = outs.slice(9, 16);
    for (let p = 0; p < a.length; p++) a[p] = ins[0][p] + rate * ins[8][p];
    for (let s = 1; s < 8; s++) for (let p = 0; p < outs[s].length; p++) outs[s][p] = ins[s][p] + rate * kappa * ins[s + 8][p];
    down.fill(0);
    for (const field of moved) field.fill(0);
    const [rank, uses, , , subject, phrase, weights] = ins.slice(18, 25);
    base.fill(0);
    const losses = [prompt(a, down, 1, 1, [[outputs - 1, 1]]), 0, 0];
    const all = uses.reduce((sum, count) => sum + count);
    for (let j = 0; j < n; j++) {
      const target = [];
      for (let i = 0; i < r; i++) if (rank[r * j + i] < uses[j]) target.push([1 + n + i, 1 / uses[j]]);
      [base[0], base[1]] = [0, row * (1 + j)];
      [score[0], score[1]] = [outs[1][j], outs[2][j]];
      losses[1] += prompt(a, down, 2, uses[j] / all + (1 / n - uses[j] / all), target);
      [moved[0][j], moved[1][j]] = [(pull[0] * context) / 3, pull[1] / 3];
    }
    for (let s = 0; s < subject.length; s++) {
      if (weights[s] === 0) continue;
      const j = subject[s], i = phrase[s];
      [base[0], base[1], base[2]] = [0, row * (1 + j), row * (1 + n + i)];
      [score[0], score[1], score[2]] = [outs[3][i], outs[4][r * j + i], outs[5][i]];
      losses[2] += prompt(a, down, 3, weights[s], [[answers + j, 1]]);
      moved[2][i] += (pull[0] * context) / 3;
      moved[3][r * j + i] += pull[1] / 3;
      moved[4][i] += pull[2] / 3;
    }
    for (let p = 0; p < row; p++) down[p] *= context;
    for (let p = 0; p < down.length; p++) down[p] /= 3;
    return losses;
  };
}

/** A step from the saddle: the gradient of both losses over 13 classes of maps and 3 answers, and whether it is time to stop. */
function saddle(C) {
  const sign = C.slice(0, 78), pairs = [0, 1, 2, 3, 4, 5];
  const classes = Array.from({ length: 13 }, (_, c) => pairs.filter((place) => sign[6 * c + place]));
  const counts = C.slice(78, 91), twin = C.slice(101, 107);
  const p = new Float64Array(6), slope = new Float64Array(6), pair = new Float64Array(6), force = new Float64Array(6);
  const z = new Float64Array(13), b = new Float64Array(7), down = new Float64Array(7), u = new Float64Array(3);

  function softmax(x, into) {
    let most = -Infinity, sum = 0;
    for (let i = 0; i < x.length; i++) if (x[i] > most) most = x[i];
    for (let i = 0; i < x.length; i++) sum += into[i] = Math.exp(x[i] - most);
    for (let i = 0; i < x.length; i++) into[i] /= sum;
    return most + Math.log(sum);
  }

  function toScores(chance, slope) {
    let mean = 0;
    for (let i = 0; i < chance.length; i++) mean += chance[i] * slope[i];
    for (let i = 0; i < chance.length; i++) slope[i] = chance[i] * (slope[i] - mean);
  }

  return (ins, outs) => {
    const [theta, omega] = ins, cold = 2 / ins[6][0], rate = ins[9][0] * ins[6][0] * ins[6][0];
    softmax(theta, p);
    for (let s = 0; s < 3; s++) for (let k = 0; k < 2; k++) pair[2 * s + k] = p[2 * s] * p[2 * k + 1];
    for (let c = 0; c < 13; c++) {
      z[c] = 0;
      for (const place of classes[c]) z[c] += sign[6 * c + place] * pair[place];
      z[c] = counts[c] + cold * z[c];
    }
    const relation = softmax(z, z);
    force.fill(0);
    for (let c = 0; c < 13; c++) for (const place of classes[c]) force[place] += sign[6 * c + place] * cold * z[c];
    slope.fill(0);
    for (let s = 0; s < 3; s++) {
      for (let k = 0; k < 2; k++) {
        slope[2 * s] += force[2 * s + k] * p[2 * k + 1];
        slope[2 * k + 1] += force[2 * s + k] * p[2 * s];
      }
    }
    toScores(p, slope);
    softmax(omega, b);
    const scale = (b[6] + 1) * cold;
    for (let i = 0; i < 3; i++) u[i] = scale * (b[2 * i] - b[4]);
    const answer = softmax(u, u);
    down.fill(0);
    for (let i = 0; i < 3; i++) {
      down[2 * i] += u[i] * scale;
      down[4] -= u[i] * scale;
      down[6] += u[i] * cold * (b[2 * i] - b[4]);
    }
    toScores(b, down);
    let even = true, most = 0;
    for (let i = 0; i < 6; i++) if (theta[i] !== theta[twin[i]]) even = false;
    for (let i = 0; i < 6; i++) {
      const mine = even ? (slope[i] + slope[twin[i]]) / 2 : slope[i];
      most = Math.max(most, Math.abs(mine));
      outs[0][i] = theta[i] - rate * mine;
    }
    for (let i = 0; i < 7; i++) outs[1][i] = omega[i] - rate * down[i];
    softmax(outs[0], p);
    outs[2][0] = relation + answer;
    outs[3][0] = Math.max(ins[3][0], outs[2][0] - ins[2][0]);
    outs[4][0] = ins[4][0] + 1;
    outs[5][0] = ins[5][0] < 0 && Math.abs(p[0] + p[1] - p[2] - p[3]) > 0.05 ? outs[4][0] : ins[5][0];
    outs[6][0] = +((even || outs[5][0] >= 0) && ins[6][0] * most < 1e-9);
  };
}

/** One evaluation of the orbit's flow; an attempt's error and the gaps are only looked at where it is complete, or accepted. */
function orbit(weights, errors) {
  const D = 236, { exp, sqrt, abs, max, min } = Math;
  const held = [[0, 1, 2], [0, 2], [1, 2], [2]], sign = [1, -1, -1, -1];
  const holding = [0, 1, 2].map((word) => [0, 1, 2, 3].filter((type) => held[type].includes(word)).map((type) => type + 3));
  const beside = [...[0, 1, 2].map((word) => [0, 1, 2, ...holding[word]]), ...held.map((words, type) => [...words, type + 3])];
  const first = Int32Array.of(0, ...beside.map((_, i) => beside.slice(0, i + 1).flat().length));
  const place = Int32Array.from(beside.flat()); // A has the same places in its rows as in its columns
  const trial = new Float64Array(D), slope = new Float64Array(D), push = new Float64Array(49), b = new Float64Array(7);
  const p = new Float64Array(16), attended = new Float64Array(4), g = new Float64Array(4);
  const one = new Float64Array(49), two = new Float64Array(49), count = new Float64Array(4), a = new Float64Array(8);
  const last = new Float64Array(4), now = new Float64Array(14);
  let L = 0, wide = 1, layer = 1, total = 1, scale = 1;

  /** The output on a sample of a type: leaves `p` [key, query], `g`, `attended` and `last`. */
  function sample(type, x) {
    const words = held[type], n = words.length, r = L - n, c = count[type], far = 1 / (c * r), root = sqrt(far), own = 3 + type;
    const beta = x[200 + type], other = (x[8 * own] * far + x[196 + type] * (1 / r - far) - beta / r) / wide;
    const mine = other + beta / wide, down = root / wide;
    let top = max(mine, other);
    for (let h = 0; h < n; h++) {
      const word = words[h], right = 4 * word + 3;
      g[word] = x[228 + word];
      for (let l = 0; l < n; l++) top = max(top, (p[4 * word + words[l]] = x[7 * word + words[l]] / wide));
      top = max(top, (p[right] = x[7 * word + own] * down), (p[12 + word] = x[7 * own + word] * down));
    }
    g[3] = x[228 + own] * root;
    let f = 0, whole, sum;
    for (let l = 0; l < n; l++) {
      const query = words[l];
      whole = p[12 + query] = exp(p[12 + query] - top);
      sum = (whole *= r) * g[3];
      for (let h = 0; h < n; h++) {
        const key = 4 * words[h] + query;
        const e = (p[key] = exp(p[key] - top));
        whole += e;
        sum += e * g[words[h]];
      }
      whole = 1 / whole;
      for (let h = 0; h < n; h++) p[4 * words[h] + query] *= whole;
      p[12 + query] *= whole;
      f += attended[query] = sum * whole;
    }
    const rest = exp(other - top);
    p[15] = exp(mine - top);
    whole = p[15] + (r - 1) * rest;
    sum = whole * g[3];
    for (let h = 0; h < n; h++) {
      const key = 4 * words[h] + 3;
      const e = (p[key] = exp(p[key] - top));
      whole += e;
      sum += e * g[words[h]];
    }
    whole = 1 / whole;
    for (let h = 0; h < n; h++) p[4 * words[h] + 3] *= whole;
    p[15] *= whole;
    last[type] = rest * whole;
    attended[3] = sum * whole;
    return f + r * attended[3];
  }

  /** A's places and b, and from them the right-hand side. */
  function flow(x, into) {
    push.fill(0);
    b.fill(0);
    for (let type = 0; type < 4; type++) {
      const words = held[type], n = words.length, r = L - n, c = count[type], own = 3 + type, root = sqrt(c * r);
      const f = sample(type, x), pull = sign[type] / (1 + exp(sign[type] * f)) / total, heavy = pull * scale;
      for (let l = 0; l <= n; l++) {
        const query = l < n ? words[l] : 3, to = l < n ? query : own;
        const many = l < n ? 1 : r, key = l < n ? c * heavy : root * heavy;
        for (let h = 0; h < n; h++) {
          const word = words[h], share = p[4 * word + query];
          push[7 * word + to] += share * (g[word] - attended[query]) * key;
          b[word] += c * pull * share * many;
        }
        if (l < n) {
          push[7 * own + to] = p[12 + query] * (g[3] - attended[query]) * root * heavy;
          b[own] += p[12 + query];
        }
      }
      const itself = p[15] * (g[3] - attended[3]) * heavy, other = last[type] * (g[3] - attended[3]) * heavy;
      a[type] = push[8 * own] = itself + (r - 1) * other;
      a[4 + type] = itself - other;
      b[own] = root * pull * (b[own] + p[15] + (r - 1) * last[type]);
    }
    for (let i = 0; i < 7; i++) {
      let a0 = 0, a1 = 0, a2 = 0, a3 = 0, a4 = 0, a5 = 0, a6 = 0;
      let b0 = 0, b1 = 0, b2 = 0, b3 = 0, b4 = 0, b5 = 0, b6 = 0;
      for (let s = first[i]; s < first[i + 1]; s++) {
        const j = place[s], q = 98 + 7 * j, t = push[7 * i + j];
        a0 += t * x[q];
        a1 += t * x[q + 1];
        a2 += t * x[q + 2];
        a3 += t * x[q + 3];
        a4 += t * x[q + 4];
        a5 += t * x[q + 5];
        a6 += t * x[q + 6];
        b0 += t * x[j];
        b1 += t * x[j + 7];
        b2 += t * x[j + 14];
        b3 += t * x[j + 21];
        b4 += t * x[j + 28];
        b5 += t * x[j + 35];
        b6 += t * x[j + 42];
      }
      const row = 7 * i;
      into[row] = a0;
      into[row + 1] = a1;
      into[row + 2] = a2;
      into[row + 3] = a3;
      into[row + 4] = a4;
      into[row + 5] = a5;
      into[row + 6] = a6;
      one[row] = b0;
      one[row + 1] = b1;
      one[row + 2] = b2;
      one[row + 3] = b3;
      one[row + 4] = b4;
      one[row + 5] = b5;
      one[row + 6] = b6;
    }
    for (let j = 0; j < 7; j++) {
      let a0 = 0, a1 = 0, a2 = 0, a3 = 0, a4 = 0, a5 = 0, a6 = 0;
      let b0 = 0, b1 = 0, b2 = 0, b3 = 0, b4 = 0, b5 = 0, b6 = 0;
      for (let s = first[j]; s < first[j + 1]; s++) {
        const i = place[s], q = 7 * i, t = push[q + j];
        a0 += t * x[q + 49];
        a1 += t * x[q + 50];
        a2 += t * x[q + 51];
        a3 += t * x[q + 52];
        a4 += t * x[q + 53];
        a5 += t * x[q + 54];
        a6 += t * x[q + 55];
        b0 += t * x[q];
        b1 += t * x[q + 1];
        b2 += t * x[q + 2];
        b3 += t * x[q + 3];
        b4 += t * x[q + 4];
        b5 += t * x[q + 5];
        b6 += t * x[q + 6];
      }
      into[j] += a0;
      into[j + 7] += a1;
      into[j + 14] += a2;
      into[j + 21] += a3;
      into[j + 28] += a4;
      into[j + 35] += a5;
      into[j + 42] += a6;
      two[j] = b0;
      two[j + 7] = b1;
      two[j + 14] = b2;
      two[j + 21] = b3;
      two[j + 28] = b4;
      two[j + 35] = b5;
      two[j + 42] = b6;
    }
    let along = 0;
    for (let i = 0; i < 7; i++) {
      const mine = x[228 + i];
      let sum = 0;
      for (let j = 0; j < 7; j++) {
        const ij = 7 * i + j, ji = 7 * j + i;
        into[49 + ij] = one[ij] + one[ji];
        into[98 + ij] = two[ij] + two[ji];
        into[147 + ij] = mine * b[j] + x[228 + j] * b[i];
        sum += x[147 + ij] * b[j];
      }
      into[228 + i] = x[235] * b[i] + layer * sum;
      along += mine * b[i];
    }
    into[235] = 2 * layer * along;
    for (let i = 0; i < 8; i++) {
      into[196 + i] = a[i] * (x[204 + i] + x[212 + i]);
      into[204 + i] = into[212 + i] = 2 * a[i] * x[196 + i];
    }
  }

  return (ins, outs) => {
    const time = ins[0][0], x = ins[1], size = ins[2][0], k = ins[3], at = ins[4][0], gap = ins[5], since = ins[6];
    const end = ins[9][0], least = ins[10], both = ins[12][0], single = ins[13][0], mine = ins[14][0];
    const square = ins[18][0] ** 2, pace = square * ins[20][0] ** 2 * ins[16][0];
    total = ins[11][0];
    count[0] = total * both;
    count[1] = total * (1 - both) * single * mine;
    count[2] = total * (1 - both) * single * (1 - mine);
    count[3] = total * (1 - both) * (1 - single);
    L = ins[15][0];
    wide = sqrt(ins[16][0]) * pace;
    layer = (square * ins[17][0]) / (pace * pace);
    scale = ins[23][0] / wide;
    const left = end - time, h = min(size, left), full = at === 6;
    const row = weights[at], w0 = h * row[0], w1 = h * row[1], w2 = h * row[2];
    const w3 = h * row[3], w4 = h * row[4], w5 = h * row[5];
    if (at === 1) for (let i = 0; i < D; i++) trial[i] = x[i] + w0 * k[i];
    else if (at === 2) for (let i = 0; i < D; i++) trial[i] = x[i] + w0 * k[i] + w1 * k[D + i];
    else if (at === 3) for (let i = 0; i < D; i++) trial[i] = x[i] + w0 * k[i] + w1 * k[D + i] + w2 * k[2 * D + i];
    else if (at === 4) {
      for (let i = 0; i < D; i++) trial[i] = x[i] + w0 * k[i] + w1 * k[D + i] + w2 * k[2 * D + i] + w3 * k[3 * D + i];
    } else if (at === 5) {
      for (let i = 0; i < D; i++) {
        trial[i] = x[i] + w0 * k[i] + w1 * k[D + i] + w2 * k[2 * D + i] + w3 * k[3 * D + i] + w4 * k[4 * D + i];
      }
    } else if (full) {
      for (let i = 0; i < D; i++) {
        trial[i] = x[i] + w0 * k[i] + w2 * k[2 * D + i] + w3 * k[3 * D + i] + w4 * k[4 * D + i] + w5 * k[5 * D + i];
      }
    } else trial.set(x);
    flow(trial, slope);
    let taken = false, error = 0;
    if (full) {
      const e0 = errors[0], e2 = errors[2], e3 = errors[3], e4 = errors[4], e5 = errors[5], e6 = errors[6];
      for (let i = 0; i < D; i++) {
        const five = e0 * k[i] + e2 * k[2 * D + i] + e3 * k[3 * D + i] + e4 * k[4 * D + i] + e5 * k[5 * D + i];
        const miss = (h * (five + e6 * slope[i])) / (1e-6 + 1e-6 * max(abs(x[i]), abs(trial[i])));
        error += miss * miss;
      }
      error = sqrt(error / D);
      if (!(error < Infinity)) error = 1e9;
      taken = error <= 1;
      outs[3].fill(0, D);
      if (taken) outs[3].set(slope);
      else for (let i = 0; i < D; i++) outs[3][i] = k[i];
    } else {
      outs[3].set(k);
      outs[3].set(slope, D * at);
    }
    outs[2][0] = full ? h * min(max(0.9 * max(error, 1e-10) ** -0.2, 0.2), 5) : size;
    outs[4][0] = full ? 1 : at + 1;
    const after = taken ? (h < left ? time + h : end) : time, y = taken ? trial : x;
    outs[0][0] = after;
    outs[1].set(y);
    outs[11][0] = +(after >= end);
    const g0 = y[228], g1 = y[229], g2 = y[230], three = min(g0 + g1 + g2, -max(g0, g1) - g2);
    outs[10][0] = min(least[0], g0, g1, -g2);
    outs[10][1] = min(least[1], three);
    if (!(after > time)) {
      outs[5].set(gap);
      outs[6].set(since);
      return;
    }
    let margin = Infinity;
    for (let type = 0; type < 4; type++) margin = min(margin, sign[type] * sample(type, y));
    const d = slope;
    now[0] = -d[230] - max(d[228], d[229]);
    now[1] = margin;
    now[2] = d[228] + d[229] + d[230];
    now[3] = three;
    now[4] = d[7];
    now[5] = d[1];
    now[6] = -d[14];
    now[7] = -d[15];
    now[8] = d[148];
    now[9] = -d[149];
    now[10] = -d[156];
    now[11] = d[228];
    now[12] = d[229];
    now[13] = -d[230];
    for (let i = 0; i < 14; i++) {
      const before = gap[i], turn = before / (before === now[i] ? -1 : before - now[i]);
      outs[5][i] = now[i];
      outs[6][i] = now[i] <= 0 ? NaN : before <= 0 ? time + min(max(turn, 0), 1) * (after - time) : since[i];
    }
  };
}

const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];

const { kernels, constants, stages, values, name, settings, compared, calls } = JSON.parse(readFileSync(0, "utf8"));
const bytes = Buffer.from(constants, "base64");
const pool = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
const loaded = loadKernels(kernels, pool);
const own = kernels.find((kernel) => kernel.name === "step 0").constants;
const byHand = { acquire, saddle, orbit }[name](...(settings ?? [pool.slice(own[0], own[0] + own[1])]));
const { call, stays } = loaded["step 0"];
const states = [];
loaded["step 0"].call = (ins, outs) => {
  call(ins, outs);
  if (states.length < 20) states.push(ins.map((leaf) => leaf.slice()));
};
while (!new Run(loaded, stages, values).advance(Infinity));
const [ours, theirs] = [loaded["step 0"].outputs(), loaded["step 0"].outputs()];
const ways = [(ins) => call(ins, ours), (ins) => byHand(ins, theirs)];
const times = ways.map(() => states.map(() => []));
let apart = 0;
for (let round = 0; round < 20; round++) {
  states.forEach((ins, state) => {
    ways.forEach((step, place) => {
      const begin = performance.now();
      for (let i = 0; i < calls; i++) step(ins);
      times[place][state].push((1000 * (performance.now() - begin)) / calls);
    });
    for (let leaf = 0; leaf < compared; leaf++) {
      if (stays.includes(leaf)) continue;
      ours[leaf].forEach((value, p) => {
        if (!Object.is(value, theirs[leaf][p])) apart = Math.max(apart, Math.abs(value - theirs[leaf][p]));
      });
    }
  });
}
const [translated, by_hand] = times.map((each) => each.reduce((sum, some) => sum + median(some), 0) / states.length);
process.stdout.write(JSON.stringify({ translated, by_hand, apart }));
