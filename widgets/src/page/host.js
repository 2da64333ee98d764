/**
 * The settings that an exported figure takes from the page around it, and tells it.
 *
 * Nothing here asks for more of a host than it has to give: a model has `get` and `on`, and may have `set`.
 */

import { addressName, entryOf, standingOf } from "./address.js";
import { setByText } from "./read_setting.js";

/** @import { Model } from "./models.js" */
/** @typedef {{ get(trait: string): unknown, on(event: string, listener: () => void): void,
 *   off?(event: string, listener: () => void): void, set?(trait: string, value: unknown): void,
 *   save_changes?(): void }} Host */

/**
 * Keep a control and the host's setting of its name alike: what the host says from the start on, and what a reader
 * moves, if the host can be told.
 * @param {Host} host
 * @param {Model} model
 * @returns {() => void} what ends it
 */
export function shareSetting(host, model) {
  const name = addressName(model);
  if (!name) return () => {};
  const entry = entryOf(model);
  const follow = () => {
    const value = host.get(name);
    if (value !== undefined) setByText(model, String(value));
  };
  host.on(`change:${name}`, follow);
  follow();
  const tell = () => {
    const value = standingOf(entry);
    if (host.get(name) === value) return;
    host.set?.(name, value);
    if ("save_changes" in host) host.save_changes?.();
  };
  if ("set" in host) model.on(`change:${entry.trait}`, tell);
  return () => {
    if ("off" in host) host.off?.(`change:${name}`, follow);
    model.off(`change:${entry.trait}`, tell);
  };
}
