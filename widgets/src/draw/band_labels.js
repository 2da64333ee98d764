/** Where in a band a label fits. */

const PROBES = 60;
const LEAST = 15; // pixels: lower bands have no room for a label
const APART = 8; // probes between two places

/**
 * @param {Array<[number, number, number] | null>} run places, tops and bottoms of the band in pixels, null in a gap
 * @param {number} width of the label
 * @param {[number, number]} range of places
 * @returns {Array<{x: number, y: number, room: number}>} middles of the band, first where it is tallest along the whole label
 */
export function roomiest(run, width, [from, to]) {
  const stride = (to - from) / PROBES;
  const probes = Array.from({ length: PROBES + 1 }, (_, i) => between(run, from + i * stride));
  const reach = Math.ceil(width / 2 / stride);
  const fits = [];
  for (let i = reach; i <= PROBES - reach; i++) {
    const under = probes.slice(i - reach, i + reach + 1);
    if (under.includes(null)) continue;
    const top = Math.max(...under.map(([high]) => high));
    const bottom = Math.min(...under.map(([, low]) => low));
    if (bottom - top >= LEAST) fits.push({ x: from + i * stride, y: (top + bottom) / 2 + 4, room: bottom - top });
  }
  const most = Math.max(...fits.map(({ room }) => room));
  const best = fits.filter(({ room }) => room > most - 1);
  const others = fits.filter((_, i) => i % APART === 0).sort((a, b) => b.room - a.room);
  return fits.length ? [best[Math.floor(best.length / 2)], ...others] : [];
}

/** Top and bottom at a place, on the straight line between the two nearest. */
function between(run, x) {
  const next = run.findIndex((one, i) => one && i && run[i - 1] && Math.min(one[0], run[i - 1][0]) <= x && x <= Math.max(one[0], run[i - 1][0]));
  if (next < 0) return null;
  const [[x0, top0, bottom0], [x1, top1, bottom1]] = [run[next - 1], run[next]];
  const share = x1 === x0 ? 0 : (x - x0) / (x1 - x0);
  return [top0 + share * (top1 - top0), bottom0 + share * (bottom1 - bottom0)];
}
