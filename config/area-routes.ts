// What an area becomes in the container: its settings, its routes, its kinds.
import type { Route } from '#adapters/http/route';
import { gatherKinds } from '#core/kinds';
import type { Area } from '#ports/api/area';
import type { KindRules, ResolvedKind } from '#ports/api/kind-definition';
import { Failure } from '#ports/failure';
import type { Port } from '#ports/port';
import { Settings } from '#ports/settings';
import type { Container } from './bind.js';
import { provide, resolveNeeds } from './bind.js';
import { type LoadedSetting } from './load.js';

/** Binds the port of an area's settings to what is in force of them. */
export const provideSettings = (
  container: Container,
  { settings }: Area,
  loaded: readonly LoadedSetting[],
): void => {
  if (settings === undefined) return;
  const own = loaded.filter(({ name }) => Object.hasOwn(settings.rows, name));
  const values = Object.fromEntries(own.map(({ name, value }) => [name, value]));
  provide(container, settings.port as Port<unknown>, { common: Settings }, ({ common }) => ({
    ...common,
    ...values,
  })); // a port is a symbol, whose type the area knows
};

export const routesOf = async (
  container: Container,
  some: readonly Area[],
): Promise<readonly Route[]> => {
  const routes: Route[] = [];
  for (const one of some) {
    const handlers = one.handlers((await resolveNeeds(container, one.needs)) as never); // the area's own needs, which type its handlers
    const { name: area, summary: areaSummary, family } = one;
    for (const [id, operation] of Object.entries(one.table)) {
      const handle = handlers[id];
      if (handle === undefined) throw new Error(`operation ${id} of ${area} has no handler`);
      routes.push({ id, area, areaSummary, family, operation, handle });
    }
  }
  return routes;
};

/** Rejects with `invalid` where a kind of these areas lacks what the gate asks of every one, as plugins in JavaScript may. */
export const requireKindRules = async (
  container: Container,
  some: readonly Area[],
): Promise<void> => {
  for (const { kind, needs, rules } of some.flatMap(({ kinds = [] }) => kinds)) {
    const made: Partial<KindRules> = rules((await resolveNeeds(container, needs)) as never); // the kind's own needs, which type its rules
    for (const method of ['find', 'placeOf'] as const)
      if (typeof made[method] !== 'function')
        throw new Failure('invalid', `its kind ${kind.name} has no method ${method}`);
  }
};

export const kindsOf = async (
  container: Container,
  some: readonly Area[],
): Promise<ReadonlyMap<string, ResolvedKind>> => {
  const kinds = new Map<string, ResolvedKind>();
  for (const { kind, parents, needs, rules } of gatherKinds(some))
    kinds.set(kind.name, {
      parents,
      rules: rules((await resolveNeeds(container, needs)) as never),
    }); // the kind's own needs, which type its rules
  return kinds;
};
