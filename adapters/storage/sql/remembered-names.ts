// Names of values that a process knows a project to have, so that it does not note them again with every write.
import { namesRememberedMs } from '#ports/storage/search';

/** Forgets what it holds when it is too much, or as old as names may be remembered. */
export class RememberedNames {
  readonly #names = new Set<string>();
  readonly #most: number;
  #since = performance.now();

  constructor(most: number) {
    this.#most = most;
  }

  has(name: string): boolean {
    if (performance.now() - this.#since > namesRememberedMs) this.clear();
    return this.#names.has(name);
  }

  add(name: string): void {
    if (this.#names.size >= this.#most) this.clear();
    this.#names.add(name);
  }

  clear(): void {
    this.#names.clear();
    this.#since = performance.now();
  }
}
