/**
 * Steps written by hand, as fast as they can be thought of, against the translated ones: how much the translator gives away.
 * In: JSON with a figure's kernels and values; out: JSON, microseconds of either step, alternating, and how far they are apart.
 */
import { readFileSync } from "node:fs";

import { load, Run } from "../widgets/src/program.js";

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

const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];

const { kernels, constants, stages, values, name, settings, compared, calls } = JSON.parse(readFileSync(0, "utf8"));
const bytes = Buffer.from(constants, "base64");
const pool = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
const loaded = load(kernels, pool);
const own = kernels.find((kernel) => kernel.name === "step 0").constants;
const byHand = { acquire, saddle }[name](...(settings ?? [pool.slice(own[0], own[0] + own[1])]));
const { call, stays } = loaded["step 0"];
const states = [];
loaded["step 0"].call = (ins, outs) => {
  call(ins, outs);
  if (states.length < 20) states.push(ins.map((leaf) => leaf.slice()));
};
while (!new Run(loaded, stages, values).advance(Infinity));
const [ours, theirs] = [loaded["step 0"].outputs(), loaded["step 0"].outputs()];
const ways = [(ins) => call(ins, ours), (ins) => byHand(ins, theirs)];
const times = ways.map(() => []);
let apart = 0;
for (let round = 0; round < 20; round++) {
  for (const ins of states) {
    ways.forEach((step, place) => {
      const begin = performance.now();
      for (let i = 0; i < calls; i++) step(ins);
      times[place].push((1000 * (performance.now() - begin)) / calls);
    });
    for (let leaf = 0; leaf < compared; leaf++) {
      if (!stays.includes(leaf)) ours[leaf].forEach((value, p) => (apart = Math.max(apart, Math.abs(value - theirs[leaf][p]))));
    }
  }
}
process.stdout.write(JSON.stringify({ translated: median(times[0]), by_hand: median(times[1]), apart }));
