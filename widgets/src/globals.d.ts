/** What scripts of a page share through `window`, and what this code attaches to elements. */

import type { Figure } from "./view/figure.js";
import type { Model } from "./page/models.js";
import type { KernelFunction, Program } from "./types.js";

declare global {
  /** Factories of kernels, registered by scripts of a published page: see widgets/site/sphinx.py. */
  var factsKernels: Record<string, (constants: Float64Array) => KernelFunction>;
  /** Programs of figures by the names of the scripts that register them: see widgets/site/programs.py. */
  var factsPrograms: Record<string, Program>;
  var scheduler: { postTask(task: () => void, options: object): Promise<void> } | undefined;

  /** In a worker. */
  function importScripts(...addresses: string[]): void;

  interface Window {
    factsRuntime?: {
      models: Map<string, Model>;
      ready: Promise<unknown>;
      /** Whether the page can be printed: settled once it can. */
      paper: Promise<void>;
      forClass(root: HTMLElement): void;
      present(root: HTMLElement, place?: number): void;
      /** Load the script for a class, and with it `factsClassroom`. */
      loadClassroom(): Promise<unknown>;
      setOption(name: string, value: string): void;
      addressWith(options: Record<string, string>): string;
      currentOptions(): Record<string, string>;
      lastSettings: string;
      /** The address of the script of a worker that makes trials. */
      worker: string;
      version: number;
    };
    /** What classroom.js brings. */
    factsClassroom?: {
      forClass(root: HTMLElement): void;
      present(root: HTMLElement, place?: number): void;
      joinClass(code: string, key: string): void;
      askForPrediction(): void;
      drawnAnswers(seed: number): Promise<object | null>;
    };
    /** Modules of figures, registered by scripts of a published page. */
    __factsESM?: Record<string, object>;
  }

  interface HTMLElement {
    /** On the root of a figure: what draws it, for those who look at the page from outside. */
    live?: Figure;
  }
}
