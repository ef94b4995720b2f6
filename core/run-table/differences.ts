// What differs among runs. Pure.
import type { RunContent, RunContents } from '#ports/storage/run-table';

/** The parts of a run that are compared, each by the names in it. */
export const differenceSections = [
  'parameter',
  'other',
  'environment',
  'package',
  'code',
  'patch',
] as const;
export type DifferenceSection = (typeof differenceSections)[number];

/** What a run has under a name: its value, or the digest of it. */
interface Held {
  readonly shown: string;
  readonly digest: string | undefined;
  readonly bytes: number | undefined;
}

export interface Difference {
  readonly name: string;
  /** Of each run, in their order: the value, the beginning of a long one, or of code and patch the digest; `null` where it has none. */
  readonly values: readonly (string | null)[];
  /** Of code and patch. */
  readonly bytes: readonly (number | null)[] | undefined;
}
export interface SectionDifferences {
  readonly section: DifferenceSection;
  /** How many names all runs have with the same value. */
  readonly equal: number;
  /** How many differ, beyond those that are listed too. */
  readonly differing: number;
  /** By name. */
  readonly differences: readonly Difference[];
}

type Section = Map<string, Map<string, Held>>;

const put = (section: Section, name: string, runId: string, held: Held): void => {
  const runs = section.get(name);
  if (runs === undefined) section.set(name, new Map([[runId, held]]));
  else runs.set(runId, held);
};

const toHeld = ({ text, digest, bytes }: RunContent): Held => ({
  shown: text ?? digest ?? '',
  digest,
  bytes,
});

/** A line as installers print it: `name==version`; what has no version is a package of an empty one. */
const readPackage = (line: string): readonly [name: string, version: string] => {
  const at = line.indexOf('==');
  return at === -1 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 2).trim()];
};

const gather = ({ contents, packages }: RunContents): ReadonlyMap<DifferenceSection, Section> => {
  const sections = new Map(
    differenceSections.map((name): [DifferenceSection, Section] => [name, new Map()]),
  );
  for (const one of contents)
    put(sections.get(one.kind) ?? new Map(), one.name, one.runId, toHeld(one));
  for (const [runId, lines] of packages)
    for (const line of lines.split('\n')) {
      const [name, shown] = readPackage(line);
      if (name !== '')
        put(sections.get('package') ?? new Map(), name, runId, {
          shown: shown.slice(0, 500),
          digest: undefined,
          bytes: undefined,
        });
    }
  return sections;
};

const isSame = (one: Held, other: Held): boolean =>
  one.shown === other.shown && one.digest === other.digest;

const differs = (runs: ReadonlyMap<string, Held>, count: number): boolean => {
  const [first, ...others] = runs.values();
  return runs.size < count || (first !== undefined && others.some((one) => !isSame(first, one)));
};

/** Of each section what differs among these runs, `most` names at most, and how much is equal. */
export const findDifferences = (
  found: RunContents,
  runIds: readonly string[],
  most: number,
): readonly SectionDifferences[] =>
  [...gather(found)].map(([section, names]) => {
    const differing = [...names].filter(([, runs]) => differs(runs, runIds.length));
    const measured = section === 'code' || section === 'patch';
    return {
      section,
      equal: names.size - differing.length,
      differing: differing.length,
      differences: differing
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .slice(0, most)
        .map(([name, runs]) => ({
          name,
          values: runIds.map((id) => runs.get(id)?.shown ?? null),
          bytes: measured ? runIds.map((id) => runs.get(id)?.bytes ?? null) : undefined,
        })),
    };
  });
