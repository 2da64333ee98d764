/** Where in a band a label fits. */

const PROBES = 60;
const LEAST_HEIGHT = 15; // pixels: lower bands have no room for a label
const SPACING = 8; // probes between two places

/** @typedef {[number, number, number]} Slice a place of the band, with its top and bottom, in pixels */

/**
 * Places for a label in the middle of a band: first where it is tallest along the whole label.
 * @param {(Slice | null)[]} band null in a gap
 * @param {number} width of the label
 * @param {number[]} range of places
 * @returns {{ x: number, y: number, room: number }[]}
 */
export function placesInBand(band, width, [from, to]) {
  const stride = (to - from) / PROBES;
  const probes = Array.from({ length: PROBES + 1 }, (_, i) => heightAt(band, from + i * stride));
  const reach = Math.ceil(width / 2 / stride);
  const fits = [];
  for (let i = reach; i <= PROBES - reach; i++) {
    const under = probes.slice(i - reach, i + reach + 1).filter((probe) => probe !== null);
    if (under.length <= 2 * reach) continue; // there is a gap under the label
    const top = Math.max(...under.map(([high]) => high));
    const bottom = Math.min(...under.map(([, low]) => low));
    if (bottom - top >= LEAST_HEIGHT)
      fits.push({ x: from + i * stride, y: (top + bottom) / 2 + 4, room: bottom - top });
  }
  const most = Math.max(...fits.map(({ room }) => room));
  const best = fits.filter(({ room }) => room > most - 1);
  const others = fits.filter((_, i) => i % SPACING === 0).sort((a, b) => b.room - a.room);
  return fits.length ? [best[Math.floor(best.length / 2)], ...others] : [];
}

/**
 * Top and bottom at a place, on the straight line between the two nearest slices; null in a gap.
 * @param {(Slice | null)[]} band
 * @param {number} x
 */
function heightAt(band, x) {
  for (let i = 1; i < band.length; i++) {
    const [before, after] = [band[i - 1], band[i]];
    if (!before || !after || Math.min(before[0], after[0]) > x || x > Math.max(before[0], after[0])) continue;
    const share = after[0] === before[0] ? 0 : (x - before[0]) / (after[0] - before[0]);
    return [before[1] + share * (after[1] - before[1]), before[2] + share * (after[2] - before[2])];
  }
  return null;
}
