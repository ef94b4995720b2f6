import type { Family } from './api/families/family.js';
import type { Operation } from './api/operation.js';
import { port } from './port.js';

export interface CatalogueRow {
  readonly id: string;
  readonly area: string;
  /** What the area is for, in a sentence. */
  readonly areaSummary?: string | undefined;
  readonly family: Family;
  readonly operation: Operation;
}

/** Every row that this server answers, plugins' included. */
export interface Catalogue {
  rows(): readonly CatalogueRow[];
}
export const Catalogue = port<Catalogue>('catalogue');
