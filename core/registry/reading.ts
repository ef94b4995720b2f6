// Versions with their files, read some at a time however many there are.
import type { ModelVersion, RegistryModel, VersionFile } from '#ports/model/registry';
import type { ModelVersionStore } from '#ports/storage/model-versions';
import type { ListedModel, RegistryStore } from '#ports/storage/registry';
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
export type Besides = (asset: VersionFile['asset']) => Promise<object>;

async function* writeAssets(
  pages: AsyncIterable<readonly VersionFile[]> | Iterable<readonly VersionFile[]>,
  version: ModelVersion,
  baseUrl: string,
  besides?: Besides,
): AsyncIterable<string> {
  let before = '"assets":[';
  for await (const page of pages) {
    if (page.length === 0) continue;
    const shown = page.map((file) => showFile(file, version, baseUrl));
    const whole =
      besides === undefined
        ? shown
        : await Promise.all(
            shown.map(async (one, i) => ({
              ...one,
              ...(page[i] === undefined ? {} : await besides(page[i].asset)),
            })),
          );
    yield before + whole.map((one) => JSON.stringify(one)).join(',');
    before = ',';
  }
  yield before === ',' ? ']}' : `${before}]}`;
}

/** A JSON object with the list `versions` behind other members, of which there is at least one; each version holds its assets. */
export async function* writeVersions(
  modelVersions: ModelVersionStore,
  head: object,
  model: RegistryModel,
  versions: readonly ModelVersion[],
  baseUrl: string,
  besides?: Besides,
): AsyncIterable<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"versions":[`;
  let before = '';
  for (const run of runsOf(versions)) {
    const together =
      run.length > 1
        ? await modelVersions.listFiles({
            modelId: model.id,
            versionIds: run.map(({ id }) => id),
            limit: filesAtOnce,
          })
        : undefined;
    for (const version of run) {
      yield `${before}${JSON.stringify(showVersion(version, model, baseUrl)).slice(0, -1)},`;
      yield* writeAssets(
        together === undefined
          ? filesOf(modelVersions, version)
          : [together.filter(({ versionId }) => versionId === version.id)],
        version,
        baseUrl,
        besides,
      );
      before = ',';
    }
  }
  yield ']}';
}

const modelsAtOnce = 500;

/** The JSON object of all models of a workspace. Of each page one more is read, which says whether there is another; the next page is being read while one is written. */
export async function* writeModels(
  registry: RegistryStore,
  workspaceId: string,
  write: (listed: ListedModel) => string,
): AsyncIterable<string> {
  let before = '{"registryModels":[';
  for (
    let next: ReturnType<RegistryStore['listModels']> | undefined = registry.listModels(
      workspaceId,
      undefined,
      modelsAtOnce + 1,
    );
    next !== undefined;
  ) {
    const read: Awaited<typeof next> = await next;
    const page = read.slice(0, modelsAtOnce);
    next =
      read.length > modelsAtOnce
        ? registry.listModels(workspaceId, page.at(-1)?.model.id, modelsAtOnce + 1)
        : undefined;
    next?.catch(() => undefined); // told when it is waited for, which it is not when the reader has gone
    if (page.length > 0) {
      yield before + page.map(write).join(',');
      before = ',';
    }
  }
  yield before === ',' ? ']}' : `${before}]}`;
}
