// Which kinds the areas bring together, and whether every row finds the rules of what it is about.
import type { Area } from '#ports/api/area';
import type { KindDefinition } from '#ports/api/kind-definition';
import { kindOf, subjectsOf, type Subject } from '#ports/api/operation';
import { Failure } from '#ports/failure';

const definedIn = (areas: readonly Area[]): ReadonlyMap<string, KindDefinition> => {
  const owners = new Map<string, string>();
  const found = new Map<string, KindDefinition>();
  for (const { name: area, kinds = [] } of areas)
    for (const definition of kinds) {
      const { name } = definition.kind;
      const other = owners.get(name);
      if (other !== undefined)
        throw new Failure(
          'conflict',
          `the areas ${other} and ${area} both define the kind ${name}`,
        );
      owners.set(name, area);
      found.set(name, definition);
    }
  return found;
};

/** What is wrong with what a row is about; `undefined` where nothing is. */
const faultOf = (
  subject: Subject,
  kinds: ReadonlyMap<string, KindDefinition>,
): string | undefined => {
  const name: string | undefined = kindOf(subject).name; // rows in JavaScript may hold anything
  if (name === undefined)
    return 'names a kind by its text; import the kind that stands beside the record';
  const definition = kinds.get(name);
  if (definition === undefined) return `is about the kind ${name}, which no area defines`;
  const parent = 'one' in subject ? subject.within?.name : undefined;
  return parent === undefined || definition.parents.some(({ kind }) => kind.name === parent)
    ? undefined
    : `is about the kind ${name} within ${parent}, of which it is never a part`;
};

/**
 * The kinds of all areas, those of plugins too. Rejects with `conflict` a kind that two areas define, and with `unsupported` a row about a
 * kind that none defines, or about a part of something that its kind is no part of.
 */
export const gatherKinds = (areas: readonly Area[]): readonly KindDefinition[] => {
  const kinds = definedIn(areas);
  for (const { name: area, table } of areas)
    for (const [id, operation] of Object.entries(table))
      for (const subject of subjectsOf(operation)) {
        const fault = faultOf(subject, kinds);
        if (fault !== undefined)
          throw new Failure('unsupported', `operation ${id} of the area ${area} ${fault}`);
      }
  return [...kinds.values()];
};
