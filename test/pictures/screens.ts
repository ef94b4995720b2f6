// The screens of which pictures are kept.
import type { Page } from 'playwright-core';
import { writeList } from '#plugins/web-ui/pure/address';
import { writeColumn, type RunColumn } from '#plugins/web-ui/pure/columns';

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

const columns: readonly (readonly [RunColumn, number])[] = [
  [{ kind: 'metadata', name: 'state' }, 96],
  [{ kind: 'parameter', name: 'arch' }, 118],
  [{ kind: 'parameter', name: 'lr' }, 80],
  [{ kind: 'metric', name: 'val/accuracy', value: 'max' }, 176],
  [{ kind: 'metric', name: 'val/loss', value: 'min' }, 150],
];

/** The part of an address that chooses the columns and their widths. */
const chosen = new URLSearchParams({
  cols: writeList(columns.map(([column]) => writeColumn(column))),
  widths: writeList(columns.map(([column, width]) => `${writeColumn(column)}~${width}`)),
}).toString();

export const screensOf = async (demo: Demo): Promise<readonly Screen[]> => {
  const { workspace, project, models } = demo;
  const keys = await registeredRuns(demo);
  const at = `/w/${workspace}`;
  const runs = `${at}/p/${project}/runs`;
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
    {
      name: 'registry',
      path: `${at}/model/${models[0] ?? ''}/3.0.0`,
      shows: 'main',
      then: async (page) => {
        await page.getByRole('button', { name: 'history' }).click();
        await page.waitForTimeout(1000);
      },
    },
    {
      name: 'lineage',
      path: `${at}/artifact/${project}-report/1.0.0?tab=lineage`,
      shows: 'svg',
    },
    { name: 'runs-dark', path: `${runs}?${chosen}&smooth=0.3`, shows: 'canvas', dark: true },
  ];
};
