// What a workspace holds besides its projects: given to another workspace on purpose. Over stores handed in.
import type { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import type { Workspace } from '#ports/model/workspaces';
import type { Stores } from '#ports/storage/storage';
import { normalName } from '../registry/rules.js';

const atOnce = 100;
const numbers = 1000;

/** The name itself, or with the first number behind it that makes it free. */
const findFree = async (
  name: string,
  isFree: (name: string) => Promise<boolean>,
): Promise<string> => {
  for (let n = 1; n <= numbers; n++) {
    const wanted = n === 1 ? name : `${name}-${n}`;
    if (await isFree(wanted)) return wanted;
  }
  throw new Failure(
    'conflict',
    `every name like ${name.slice(0, 100)} is taken in the other workspace`,
  );
};

/** A name whose numbers were used, by an artifact that was deleted, is not free: a number never comes to mean something else. */
export const moveArtifact = async (
  { artifacts, artifactVersions }: Pick<Stores, 'artifactVersions' | 'artifacts'>,
  { id, name }: { readonly id: string; readonly name: string },
  to: Workspace,
): Promise<void> => {
  const free = await findFree(
    name,
    async (wanted) =>
      (await artifacts.findByName(to.id, wanted)) === undefined &&
      (await artifactVersions.findHighestNumber(to.id, wanted)) === undefined,
  );
  await artifacts.moveToWorkspace(id, { workspaceId: to.id, name: free });
};

export const moveModel = async (
  { registry }: Pick<Stores, 'registry'>,
  { id, name }: { readonly id: string; readonly name: string },
  to: Workspace,
  at: number,
): Promise<void> => {
  const free = await findFree(
    name,
    async (wanted) => (await registry.findModelByName(to.id, normalName(wanted))) === undefined,
  );
  await registry.moveToWorkspace(id, {
    workspaceId: to.id,
    name: free,
    normalName: normalName(free),
    at,
  });
};

/** Nobody makes anything in either workspace until the transaction ends. Rejects with `absent` when one is gone. */
export const lockBoth = async (
  { workspaces }: Pick<Stores, 'workspaces'>,
  one: Pick<Workspace, 'id' | 'name'>,
  other: Pick<Workspace, 'id' | 'name'>,
): Promise<void> => {
  for (const { id, name } of [one, other].sort((a, b) => (a.id < b.id ? -1 : 1)))
    if ((await workspaces.lock(id)) === undefined)
      throw new Failure('absent', `workspace ${name} no longer exists`);
};

const moveArtifacts = async (
  stores: Pick<Stores, 'artifactVersions' | 'artifacts'>,
  from: Workspace,
  to: Workspace,
): Promise<number> => {
  for (let moved = 0; ;) {
    const some = await stores.artifacts.list({ workspaceId: from.id, limit: atOnce });
    for (const one of some) await moveArtifact(stores, one, to);
    moved += some.length;
    if (some.length < atOnce) return moved;
  }
};

const moveModels = async (
  stores: Pick<Stores, 'registry'>,
  from: Workspace,
  to: Workspace,
  at: number,
): Promise<number> => {
  for (let moved = 0; ;) {
    const some = await stores.registry.listModels(from.id, undefined, atOnce);
    for (const { model } of some) await moveModel(stores, model, to, at);
    moved += some.length;
    if (some.length < atOnce) return moved;
  }
};

/**
 * Gives every artifact and registered model of one workspace to another, with a number behind its name where that is taken there; projects stay.
 * Nobody makes another one in either meanwhile. Rejects with `absent` when one of them is gone. May be repeated.
 */
export const moveContents = async (
  stores: Pick<Stores, 'artifactVersions' | 'artifacts' | 'registry' | 'workspaces'>,
  { clock }: { readonly clock: Clock },
  from: Workspace,
  to: Workspace,
): Promise<{ readonly artifacts: number; readonly models: number }> => {
  if (from.id === to.id) return { artifacts: 0, models: 0 };
  await lockBoth(stores, from, to);
  return {
    artifacts: await moveArtifacts(stores, from, to),
    models: await moveModels(stores, from, to, clock.now()),
  };
};
