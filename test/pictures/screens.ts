// The screens of which pictures are kept.
import type { Page } from 'playwright-core';

export interface Screen {
  /** The name of the file, without its ending. */
  readonly name: string;
  readonly path: string;
  /** What is there when the screen is. */
  readonly shows: string;
  readonly dark?: boolean;
  readonly then?: (page: Page) => Promise<void>;
}

interface Demo {
  readonly url: string;
  readonly apiKey: string;
  readonly workspace: string;
  readonly project: string;
  readonly models: readonly string[];
}

/** Keys of the runs of the versions of the first model, the newest first. */
const registeredRuns = async ({ url, apiKey, workspace, models: [model = ''] }: Demo) => {
  const query = new URLSearchParams({ workspaceName: workspace, modelName: model }).toString();
  const address = `${new URL(url).origin}/api/rest/v2/registry-model/details?${query}`;
  const reply = await fetch(address, { headers: { authorization: apiKey } });
  const { versions } = (await reply.json()) as {
    readonly versions: readonly { readonly experimentModel: { readonly experimentKey: string } }[];
  }; // as the row says
  return versions.map(({ experimentModel: { experimentKey } }) => experimentKey);
};

const columns =
  'metric:val%2Faccuracy:max,metric:val%2Floss:min,parameter:arch,parameter:lr,metadata:state';

export const screensOf = async (demo: Demo): Promise<readonly Screen[]> => {
  const { workspace, project, models } = demo;
  const keys = await registeredRuns(demo);
  const at = `/w/${workspace}`;
  const runs = `${at}/p/${project}/runs`;
  const chosen = `cols=${encodeURIComponent(columns)}`;
  const best = keys[0] ?? '';
  return [
    { name: 'home', path: at, shows: 'table' },
    { name: 'runs', path: `${runs}?${chosen}&smooth=0.3`, shows: 'canvas' },
    { name: 'groups', path: `${runs}?${chosen}&group=parameter:arch`, shows: 'canvas' },
    { name: 'parallel', path: `${runs}?${chosen}&plot=parallel`, shows: 'svg' },
    { name: 'run', path: `${at}/p/${project}/run/${best}/charts`, shows: 'canvas' },
    { name: 'media', path: `${at}/p/${project}/run/${best}/media`, shows: 'img' },
    {
      name: 'compare',
      path: `${at}/p/${project}/compare?runs=${keys.join()}&tab=params`,
      shows: 'table',
    },
    { name: 'registry', path: `${at}/model/${models[0] ?? ''}/3.0.0`, shows: 'main' },
    {
      name: 'lineage',
      path: `${at}/artifact/${project}-images/3.0.0?tab=lineage`,
      shows: 'svg',
    },
    { name: 'runs-dark', path: `${runs}?${chosen}&smooth=0.3`, shows: 'canvas', dark: true },
  ];
};
