// Changes of models and versions that are there. Over stores handed in.
import { Failure } from '#ports/failure';
import type { Caller } from '#ports/model/identity';
import type { RegisteredVersion, RegistryModel } from '#ports/model/registry';
import type { Stores } from '#ports/storage/storage';
import { lockVersion } from './locking.js';
import {
  absentModel,
  checkTags,
  chooseVersion,
  compareTags,
  mergeMetadata,
  newestFirst,
  requireName,
  type Metadatum,
} from './rules.js';
import { appendEvent, type EventNeeds } from './events.js';

interface VersionEdit {
  readonly version: RegisteredVersion;
  readonly caller: Caller;
  readonly comment?: string | undefined;
  /** The tags that it has afterwards, from those it has. */
  readonly tags?: (before: readonly string[]) => readonly string[];
}

/** Changes comment and tags of a version; what is left out stays. */
export const editVersion = async (
  stores: Pick<Stores, 'events' | 'modelVersions' | 'registry'>,
  needs: EventNeeds,
  { version: asked, caller, comment, tags: edit }: VersionEdit,
): Promise<void> => {
  const version = await lockVersion(stores, asked);
  const tags = edit === undefined ? version.tags : checkTags(edit(version.tags));
  const changed = compareTags(version.tags, tags);
  const now = needs.clock.now();
  await stores.modelVersions.updateVersion(version.id, {
    updatedAt: now,
    tags,
    ...(comment === undefined ? {} : { comment }),
  });
  await stores.registry.updateModel(version.modelId, { updatedAt: now });
  if (changed.addedStages.length + changed.removedStages.length === 0) return;
  await appendEvent(stores, needs, 'registry.stage-changed', {
    model: version.model,
    version: { ...version, tags },
    userName: caller.userName,
    comment: comment ?? version.comment,
    more: { ...changed, previousValue: version.tags, newValue: tags },
  });
};

/** Adds a tag at the end. Rejects with `conflict` for one that is there. */
export const withTag =
  (tag: string) =>
  (before: readonly string[]): readonly string[] => {
    if (before.includes(tag))
      throw new Failure('conflict', `the version has the stage ${tag} already`);
    return [...before, tag];
  };
/** Rejects with `invalid` for a tag that is not there. */
export const withoutTag =
  (tag: string) =>
  (before: readonly string[]): readonly string[] => {
    if (!before.includes(tag)) throw new Failure('invalid', `the version has no stage ${tag}`);
    return before.filter((one) => one !== tag);
  };

/** Gives a tag to a version and takes it from every other of its model; the versions that had it, highest first. Repeated, it changes nothing. */
export const moveTag = async (
  stores: Pick<Stores, 'events' | 'modelVersions' | 'registry'>,
  needs: EventNeeds,
  {
    version: asked,
    caller,
    tag,
  }: { readonly version: RegisteredVersion; readonly caller: Caller; readonly tag: string },
): Promise<readonly string[]> => {
  // The model is locked first, so that nobody gives the tag to another version meanwhile.
  const version = await lockVersion(stores, asked);
  const all = await stores.modelVersions.listVersions(version.modelId);
  const holders = newestFirst(all).filter(
    ({ id, tags }) => id !== version.id && tags.includes(tag),
  );
  for (const holder of holders)
    await editVersion(stores, needs, {
      version: { ...holder, model: version.model },
      caller,
      tags: withoutTag(tag),
    });
  if (!version.tags.includes(tag))
    await editVersion(stores, needs, { version, caller, tags: withTag(tag) });
  return holders.map((one) => one.version);
};

export const setMetadata = async (
  stores: Pick<Stores, 'modelVersions' | 'registry'>,
  { clock }: EventNeeds,
  asked: RegisteredVersion,
  metadata: readonly Metadatum[],
): Promise<void> => {
  const version = await lockVersion(stores, asked);
  const { metadata: before } = await stores.modelVersions.readSettings(version.id);
  await stores.modelVersions.updateVersion(version.id, {
    updatedAt: clock.now(),
    metadata: mergeMetadata(before, metadata),
  });
};

/** Deletes a version; the highest of those that stay is the model's latest then. */
export const deleteVersion = async (
  stores: Pick<Stores, 'events' | 'modelVersions' | 'registry'>,
  needs: EventNeeds,
  asked: RegisteredVersion,
  caller: Caller,
): Promise<void> => {
  const version = await lockVersion(stores, asked);
  const now = needs.clock.now();
  await stores.modelVersions.markVersionDeleted(version.id, now);
  await stores.modelVersions.countVersions(
    version.modelId,
    -1,
    chooseVersion(await stores.modelVersions.listVersions(version.modelId), {})?.id,
  );
  await stores.registry.updateModel(version.modelId, { updatedAt: now });
  await appendEvent(stores, needs, 'registry.version-deleted', {
    model: version.model,
    version,
    userName: caller.userName,
    more: {},
  });
};

/** The model as it is, locked. */
const lockModel = async (
  { registry }: Pick<Stores, 'registry'>,
  { id, name }: RegistryModel,
): Promise<RegistryModel> => {
  const there = await registry.lockModel(id);
  const model = await registry.findModel(id);
  if (!there || model === undefined) throw absentModel(name);
  return model;
};

export interface ModelEdit {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly public?: boolean | undefined;
}

const facts = ({ name, description, public: open }: RegistryModel) => ({
  registryModelName: name,
  description: description ?? null,
  isPublic: open,
});

/** Changes a model; what is left out stays. Rejects with `conflict` for the name of another. */
export const editModel = async (
  stores: Pick<Stores, 'events' | 'registry'>,
  needs: EventNeeds,
  asked: RegistryModel,
  caller: Caller,
  { name, description, public: open }: ModelEdit,
): Promise<void> => {
  const naming = name === undefined ? undefined : { name, normalName: requireName(name) };
  const before = await lockModel(stores, asked);
  await stores.registry.updateModel(before.id, {
    updatedAt: needs.clock.now(),
    ...(naming === undefined ? {} : { naming }),
    ...(description === undefined ? {} : { description }),
    ...(open === undefined ? {} : { public: open }),
  });
  const model = await lockModel(stores, before);
  await appendEvent(stores, needs, 'registry.model-updated', {
    model,
    userName: caller.userName,
    more: { previousValue: facts(before), newValue: facts(model) },
  });
};

/** Deletes a model with all its versions; its name is free from then on. */
export const deleteModel = async (
  stores: Pick<Stores, 'events' | 'registry'>,
  needs: EventNeeds,
  asked: RegistryModel,
  caller: Caller,
): Promise<void> => {
  const model = await lockModel(stores, asked);
  await stores.registry.markModelDeleted(model.id, needs.clock.now());
  await appendEvent(stores, needs, 'registry.model-deleted', {
    model,
    userName: caller.userName,
    more: { previousValue: facts(model), newValue: null },
  });
};
