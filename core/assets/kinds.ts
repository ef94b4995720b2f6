import { defineKind, parent, type Asking, type Name } from '#ports/api/kind-definition';
import { Failure } from '#ports/failure';
import { artifactVersion } from '#ports/model/artifacts';
import { asset, upload, type Asset } from '#ports/model/assets';
import { experiment } from '#ports/model/experiments';
import type { Caller } from '#ports/model/identity';
import { storageOf, type Stores } from '#ports/storage/storage';
import { artifactPlace } from '../artifacts/rules.js';
import { experimentOf, experimentPlace } from '../experiments/offers.js';
import { at, textAt } from '../subject-paths.js';
import { mayRead } from '../places.js';
import { isUuid } from '../uuid.js';

/** A file of an artifact version is read as its artifact is, whichever run it came with. */
const readable = async (
  { artifactVersions }: Pick<Stores, 'artifactVersions'>,
  found: Asset | undefined,
  caller: Caller,
): Promise<Asset | undefined> => {
  if (found?.artifactVersionId === undefined) return found;
  const version = await artifactVersions.findVersion(found.artifactVersionId);
  return version !== undefined && (await mayRead(caller, artifactPlace(version.artifact)))
    ? found
    : undefined;
};

/** Links to pictures that name no experiment: the first of that id that the caller may see. */
const findAnywhere = async (
  stores: Pick<Stores, 'assets' | 'experiments' | 'projects'>,
  id: string,
  caller: Caller,
): Promise<Asset | undefined> => {
  const all = await stores.assets.listById(id, 20);
  const homes = await stores.experiments.listByIds(all.map((one) => one.experimentId));
  for (const one of all.filter(({ artifactVersionId }) => artifactVersionId === undefined)) {
    const home = homes.find((experiment) => experiment.id === one.experimentId);
    if (home !== undefined && (await mayRead(caller, experimentPlace(stores, home)))) return one;
  }
  return undefined;
};

const isPictureLink = ({ path }: Name, { operation }: Asking): boolean =>
  operation.access.needs === 'read' && path === 'query.imageId';

const findAsset = async (
  stores: Pick<Stores, 'artifactVersions' | 'assets' | 'experiments' | 'projects'>,
  name: Name,
  asking: Asking,
) => {
  const { caller, found } = asking;
  const [home, version] = [found(experiment), found(artifactVersion)];
  if (version !== undefined) return stores.assets.findInVersion(version.id, name.text);
  if (home !== undefined)
    return readable(stores, await stores.assets.find(home.id, name.text), caller);
  if (isPictureLink(name, asking)) return findAnywhere(stores, name.text, caller);
  throw new Failure('invalid', 'experimentKey is required', { reason: 'keyMissing' });
};

/** What a registered version that the caller may read keeps under the names of the request. */
const findKept = async (
  { modelVersions }: Pick<Stores, 'modelVersions'>,
  { named, caller }: Asking,
) => {
  const key = textAt(named, 'query.experimentKey') ?? textAt(named, 'query.experimentId');
  const id = textAt(named, 'query.assetId');
  const ofVersion = at(named, 'query.artifactVersionId') ?? ''; // a file of an artifact version is nobody else's
  if (key === undefined || id === undefined || ofVersion !== '') return undefined;
  for (const kept of await modelVersions.findKept(key, id))
    if (await mayRead(caller, kept)) return kept.asset;
  return undefined;
};

export const assetKind = defineKind(asset, {
  parents: [
    parent(experiment, (one, home, { found }) =>
      found(artifactVersion) === undefined ? one.experimentId === home.id : true,
    ),
    parent(artifactVersion, () => true), // found by it
  ],
  needs: {
    storage: storageOf('artifactVersions', 'assets', 'experiments', 'modelVersions', 'projects'),
  },
  rules: ({ storage: { stores } }) => ({
    find: (name, asking) => findAsset(stores, name, asking),
    async placeOf({ experimentId }, { found }) {
      if (found(experiment) !== undefined || found(artifactVersion) !== undefined) return 'parent';
      const home = await experimentOf(stores, experimentId);
      return home === undefined ? 'parent' : experimentPlace(stores, home);
    },
    absent: (text) => new Failure('absent', `asset ${text.slice(0, 80)} not found`),
    forProjectKeys: true,
    findCopy: (asking) => findKept(stores, asking),
  }),
});

/** An upload in parts is its experiment's: who may write there may complete it. */
export const uploadKind = defineKind(upload, {
  needs: { storage: storageOf('experiments', 'projects', 'uploads') },
  rules: ({ storage: { stores } }) => {
    const homeOf = (experimentId: string) => experimentOf(stores, experimentId);
    return {
      find: async ({ text }) => (isUuid(text) ? stores.uploads.findDirect(text) : undefined),
      async placeOf({ experimentId }) {
        const home = await homeOf(experimentId);
        return home === undefined ? 'parent' : experimentPlace(stores, home); // without a parent, `parent` is out of reach
      },
      absent: (text) => new Failure('absent', `upload ${text.slice(0, 80)} not found`),
      forProjectKeys: true,
    };
  },
});
