// What membership in groups of a directory or provider comes to here. Pure.
import { Failure } from '#ports/failure';
import { permissions, roles, type Permission, type Role } from '#ports/model/identity';
import type { GroupRule } from '#ports/sign-in';

const isTexts = (value: unknown, of: readonly string[]): boolean =>
  Array.isArray(value) && value.every((one) => of.includes(String(one)));

/** What is wrong with one rule, as it was given; `undefined` when nothing is. */
const faultOf = (rule: Readonly<Record<string, unknown>>): string | undefined => {
  const { group, admin, viewOnly, workspace, role, permissions: allowed, ...rest } = rule;
  if (typeof group !== 'string' || group === '') return ' must name a group';
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) return ` has ${unknown}, which is not known`;
  if ([admin, viewOnly].some((flag) => flag !== undefined && typeof flag !== 'boolean'))
    return ': admin and viewOnly must be true or false';
  if (
    (workspace === undefined) !== (role === undefined) ||
    (workspace !== undefined && (typeof workspace !== 'string' || workspace === '')) ||
    (role !== undefined && !roles.includes(role as Role))
  )
    return ` must give a workspace together with a role, one of ${roles.join(', ')}`;
  if (allowed !== undefined && !isTexts(allowed, permissions))
    return `: permissions must be a list of ${permissions.join(', ')}`;
  return admin === undefined && viewOnly === undefined && workspace === undefined
    ? ' gives nothing'
    : undefined;
};

/** Checks rules that came as plain data. Rejects with `invalid` and what is wrong; `source` is what they are called there. */
export const checkGroupRules = (given: unknown, source: string): readonly GroupRule[] => {
  if (!Array.isArray(given)) throw new Failure('invalid', `${source} must be a JSON list`);
  return given.map((entry: unknown, i) => {
    const rule = typeof entry === 'object' && entry !== null ? entry : {};
    const fault = faultOf(rule as Readonly<Record<string, unknown>>); // any object can be read by name
    if (fault !== undefined) throw new Failure('invalid', `${source} entry ${i + 1}${fault}`);
    return rule as GroupRule; // as was just checked
  });
};

/** Reads the rules of a setting, a JSON list. Rejects with `invalid` and what is wrong. */
export const readGroupRules = (text: string, setting: string): readonly GroupRule[] => {
  if (text === '') return [];
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (cause) {
    throw new Failure('invalid', `${setting} must be JSON`, { cause });
  }
  return checkGroupRules(given, setting);
};

const rank: readonly Role[] = ['view-only', 'member', 'admin'];

export interface Granted {
  readonly role: Role;
  readonly permissions: readonly Permission[];
}

/** By workspace, what these groups are given: the highest role, and every permission; `undefined` where rules speak of the workspace and give nothing. */
export const grantsOf = (
  rules: readonly GroupRule[],
  groups: readonly string[],
): ReadonlyMap<string, Granted | undefined> => {
  const grants = new Map<string, Granted | undefined>();
  for (const { group, workspace, role, permissions: allowed = [] } of rules) {
    if (workspace === undefined || role === undefined) continue;
    const before = grants.get(workspace);
    if (!groups.includes(group)) {
      grants.set(workspace, before);
      continue;
    }
    grants.set(workspace, {
      role:
        before !== undefined && rank.indexOf(before.role) > rank.indexOf(role) ? before.role : role,
      permissions: [...new Set([...(before?.permissions ?? []), ...allowed])],
    });
  }
  return grants;
};

/** What the rules say of a flag for these groups; `undefined` where no rule speaks of it. */
export const flagOf = (
  rules: readonly GroupRule[],
  groups: readonly string[],
  flag: 'admin' | 'viewOnly',
): boolean | undefined => {
  const speaking = rules.filter((rule) => rule[flag] !== undefined);
  return speaking.length === 0
    ? undefined
    : speaking.some((rule) => rule[flag] === true && groups.includes(rule.group));
};

/** A name that is acceptable here, from what the provider calls somebody. */
export const nameFrom = (wish: string, least: number): string => {
  const tidy = wish
    .replaceAll(/[\p{Cc}\p{Cs}/]/gu, '-')
    .trim()
    .slice(0, 90);
  return tidy.length >= least ? tidy : `${tidy}${'-user'.padEnd(least, '-')}`.slice(0, 100);
};
