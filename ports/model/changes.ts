// What pages are told of as it happens: that something changed, never what it is now.

/**
 * What changed of a run: the run itself (its state, name, place) · a parameter, other value or tag · points of its metrics · its output ·
 * its assets · a version of a registered model that was made from it.
 */
export const changeKinds = ['run', 'values', 'points', 'output', 'assets', 'model'] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** That something changed. Told again, it is the same change at a later time. */
export interface Change {
  readonly kind: ChangeKind;
  /** The id of the experiment, or of the version of a model. */
  readonly subjectId: string;
}

/** A change as the listeners of a project hear of it. */
export interface HeardChange extends Change {
  /** The project through which it is heard: the run's home, or one that it is linked into. */
  readonly projectId: string;
  readonly experimentKey: string;
  /** Whether the run was deleted. */
  readonly gone: boolean;
  /** The registered model, for changes of a version. */
  readonly modelId: string | undefined;
  /** By the database's time, in ms. */
  readonly at: number;
}
