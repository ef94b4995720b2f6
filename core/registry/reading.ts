// Versions with their files, read some at a time however many there are.
import type { ModelVersion, RegistryModel, VersionFile } from '#ports/model/registry';
import type { ModelVersionStore } from '#ports/storage/model-versions';
import type { ListedModel, RegistryStore } from '#ports/storage/registry';
import { listAfter, writeList } from '../json-list.js';
import { showFile, showVersion } from './wire.js';

const filesAtOnce = 1000;

/** Every file of one version, in the order of storing. */
export async function* filesOf(
  modelVersions: ModelVersionStore,
  { id, modelId }: ModelVersion,
): AsyncIterable<readonly VersionFile[]> {
  for (let afterRow: string | undefined; ;) {
    const page = await modelVersions.listFiles({
      modelId,
      versionIds: [id],
      limit: filesAtOnce,
      ...(afterRow === undefined ? {} : { afterRow }),
    });
    if (page.length > 0) yield page;
    if (page.length < filesAtOnce) return;
    afterRow = page.at(-1)?.asset.rowId;
  }
}

/** Runs of versions whose files are few enough to be read together. */
const runsOf = (versions: readonly ModelVersion[]): readonly (readonly ModelVersion[])[] => {
  const runs: ModelVersion[][] = [];
  let files = 0;
  for (const version of versions) {
    files += version.files;
    const run = runs.at(-1);
    if (run !== undefined && files <= filesAtOnce) {
      run.push(version);
      continue;
    }
    runs.push([version]);
    files = version.files;
  }
  return runs;
};

/** What a reply says of a file beside what every reply says. */
export type ExtraMembers = (asset: VersionFile['asset']) => Promise<object>;

/** The files of a version in pages as a reply shows them. */
async function* showFiles(
  pages: AsyncIterable<readonly VersionFile[]> | Iterable<readonly VersionFile[]>,
  version: ModelVersion,
  baseUrl: string,
  extraMembers?: ExtraMembers,
): AsyncIterable<readonly object[]> {
  for await (const page of pages)
    yield await Promise.all(
      page.map(async (file) => ({
        ...showFile(file, version, baseUrl),
        ...(await extraMembers?.(file.asset)),
      })),
    );
}

/** A JSON object with the list `versions` behind other members; each version holds its assets. */
export async function* writeVersions(
  modelVersions: ModelVersionStore,
  head: object,
  model: RegistryModel,
  versions: readonly ModelVersion[],
  baseUrl: string,
  extraMembers?: ExtraMembers,
): AsyncIterable<string> {
  const { open, close } = listAfter(head, 'versions');
  let before = open;
  for await (const [version, pages] of withFiles(modelVersions, model, versions)) {
    yield before;
    const shown = showFiles(pages, version, baseUrl, extraMembers);
    yield* writeList(showVersion(version, model, baseUrl), 'assets', shown);
    before = ',';
  }
  yield before === ',' ? close : `${open}${close}`;
}

/** Every version with its files in pages; those of versions with few files are read together. */
async function* withFiles(
  modelVersions: ModelVersionStore,
  model: RegistryModel,
  versions: readonly ModelVersion[],
): AsyncIterable<
  readonly [ModelVersion, AsyncIterable<readonly VersionFile[]> | Iterable<readonly VersionFile[]>]
> {
  for (const run of runsOf(versions)) {
    const together =
      run.length > 1
        ? await modelVersions.listFiles({
            modelId: model.id,
            versionIds: run.map(({ id }) => id),
            limit: filesAtOnce,
          })
        : undefined;
    for (const version of run)
      yield [
        version,
        together === undefined
          ? filesOf(modelVersions, version)
          : [together.filter(({ versionId }) => versionId === version.id)],
      ];
  }
}

const modelsAtOnce = 500;

/** All models of a workspace in pages. Of each page one more is read, which says whether there is another; the next page is being read while one is used. */
export async function* everyModel(
  registry: RegistryStore,
  workspaceId: string,
): AsyncIterable<readonly ListedModel[]> {
  const readAfter = (id: string | undefined) =>
    registry.listModels(workspaceId, id, modelsAtOnce + 1);
  for (
    let next: ReturnType<typeof readAfter> | undefined = readAfter(undefined);
    next !== undefined;
  ) {
    const read: Awaited<typeof next> = await next;
    const page = read.slice(0, modelsAtOnce);
    next = read.length > modelsAtOnce ? readAfter(page.at(-1)?.model.id) : undefined;
    next?.catch(() => undefined); // told when it is waited for, which it is not when the reader has gone
    yield page;
  }
}
