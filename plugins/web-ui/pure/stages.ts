// Stages of the versions of a model. Pure.
interface Staged {
  readonly version: string;
  readonly stages: readonly string[];
}

/** Stages that other versions have and this one has not, each with those versions, by name. */
export const stagesElsewhere = <V extends Staged>(
  versions: readonly V[],
  of: V,
): readonly { readonly stage: string; readonly holders: readonly V[] }[] =>
  [...new Set(versions.flatMap(({ stages }) => stages))]
    .filter((stage) => !of.stages.includes(stage))
    .sort()
    .map((stage) => ({
      stage,
      holders: versions.filter(({ stages }) => stages.includes(stage)),
    }));
