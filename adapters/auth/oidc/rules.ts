// What the provider's word about somebody comes to here. Pure.
import { Failure } from '#ports/failure';
import { permissions, roles, type Permission, type Role } from '#ports/model/identity';

/** What members of a group of the provider are here. */
export interface GroupRule {
  readonly group: string;
  /** They administer the installation. */
  readonly admin?: boolean;
  /** They are view-only members of the installation. */
  readonly viewOnly?: boolean;
  /** They belong to this workspace, which is made when there is none of that name. */
  readonly workspace?: string;
  readonly role?: Role;
  readonly permissions?: readonly Permission[];
}

const isTexts = (value: unknown, of: readonly string[]): boolean =>
  Array.isArray(value) && value.every((one) => of.includes(String(one)));

/** Reads the rules as they are set, a JSON list. Rejects with `invalid` and what is wrong. */
export const readGroupRules = (text: string): readonly GroupRule[] => {
  if (text === '') return [];
  const wrong = (rule: string) => new Failure('invalid', `ORRERY_OIDC_GROUPS ${rule}`);
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (cause) {
    throw new Failure('invalid', 'ORRERY_OIDC_GROUPS must be JSON', { cause });
  }
  if (!Array.isArray(given)) throw wrong('must be a JSON list');
  return given.map((one: unknown, i) => {
    const rule = (typeof one === 'object' && one !== null ? one : {}) as Readonly<
      Record<string, unknown>
    >; // members are checked below
    const { group, admin, viewOnly, workspace, role, permissions: allowed, ...rest } = rule;
    const at = `entry ${i + 1}`;
    if (typeof group !== 'string' || group === '') throw wrong(`${at} must name a group`);
    if (Object.keys(rest).length > 0)
      throw wrong(`${at} has ${Object.keys(rest)[0] ?? ''}, which is not known`);
    if ([admin, viewOnly].some((flag) => flag !== undefined && typeof flag !== 'boolean'))
      throw wrong(`${at}: admin and viewOnly must be true or false`);
    if (
      (workspace === undefined) !== (role === undefined) ||
      (workspace !== undefined && (typeof workspace !== 'string' || workspace === '')) ||
      (role !== undefined && !roles.includes(role as Role))
    )
      throw wrong(`${at} must give a workspace together with a role, one of ${roles.join(', ')}`);
    if (allowed !== undefined && !isTexts(allowed, permissions))
      throw wrong(`${at}: permissions must be a list of ${permissions.join(', ')}`);
    if (admin === undefined && viewOnly === undefined && workspace === undefined)
      throw wrong(`${at} gives nothing`);
    return rule as unknown as GroupRule; // as was just checked
  });
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

type Claims = Readonly<Record<string, unknown>>;

export const textClaim = (claims: Claims, name: string): string | undefined => {
  const value = claims[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
};
/** The groups of a claim: a list, or one text with blanks or commas between them. */
export const groupsIn = (claims: Claims, name: string): readonly string[] => {
  const value = claims[name];
  if (Array.isArray(value)) return value.filter((one): one is string => typeof one === 'string');
  return typeof value === 'string' ? value.split(/[\s,]+/).filter((one) => one !== '') : [];
};

/** A name that is acceptable here, from what the provider calls somebody. */
export const nameFrom = (wish: string, least: number): string => {
  const tidy = wish
    .replaceAll(/[\p{Cc}\p{Cs}/]/gu, '-')
    .trim()
    .slice(0, 90);
  return tidy.length >= least ? tidy : `${tidy}${'-user'.padEnd(least, '-')}`.slice(0, 100);
};
