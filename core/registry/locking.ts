import type { RegisteredVersion } from '#ports/model/registry';
import type { Stores } from '#ports/storage/storage';
import { absentVersion } from './rules.js';

/** A version and its model as they are, with every other change of that model kept waiting until the transaction ends. Rejects with `absent` when either is gone. */
export const lockVersion = async (
  { registry, modelVersions }: Pick<Stores, 'registry' | 'modelVersions'>,
  { id, modelId }: Pick<RegisteredVersion, 'id' | 'modelId'>,
): Promise<RegisteredVersion> => {
  const there = await registry.lockModel(modelId);
  const [model, version] = [await registry.findModel(modelId), await modelVersions.findVersion(id)];
  if (!there || model === undefined || version === undefined) throw absentVersion(id);
  return { ...version, model };
};
