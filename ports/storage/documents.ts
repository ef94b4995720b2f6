import { once, reads, type Methods } from './methods.js';

/** Small records that an experiment has one of; each is one JSON document. */
export type DocumentKind = 'system' | 'git' | 'cloud' | 'dependencies';

export interface DocumentStore {
  /** The document's text; `undefined` when none was ever stored. */
  read(experimentId: string, kind: DocumentKind): Promise<string | undefined>;
  /** Stores what `change` makes of the present text, with nobody in between. `change` may be called again. Rejects with `absent` when the experiment is gone. */
  change(
    experimentId: string,
    kind: DocumentKind,
    change: (before: string | undefined) => string,
  ): Promise<void>;
}

export const documentMethods: Methods<DocumentStore> = {
  read: reads,
  change: once,
};
