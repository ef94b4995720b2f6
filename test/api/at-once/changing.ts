// Parts of one thing that are changed by different callers: every part is kept.
import { expect } from 'chai';
import { freshName } from '../fresh.js';
import { atOnce, many, read, statuses, write, type Asking } from './asking.js';
import type { UseCase } from './table.js';

const projectIdOf = async ({ must, workspace }: Asking, projectName: string): Promise<string> =>
  String(
    (await must(`${read}/project?workspaceName=${workspace}&projectName=${projectName}`))[
      'projectId'
    ],
  );

interface Hooks {
  readonly webhookConfigs: readonly { readonly webhookUrls: readonly { readonly url: string }[] }[];
}
const urlsOf = async ({ must }: Asking, space: string): Promise<readonly string[]> =>
  (
    (await must(`${read}/webhooks/config?workspaceName=${space}`)) as unknown as Hooks
  ).webhookConfigs.flatMap(({ webhookUrls }) => webhookUrls.map(({ url }) => url)); // the row's reply
const hook = (name: string) => ({ url: `http://127.0.0.1:9/${name}` });

export const changingCases: readonly UseCase[] = [
  {
    rule: 'keeps the start that one caller sets and the end that another sets',
    holds: 'the experiment',
    async run(asking) {
      const runs = await atOnce(many / 2, () => asking.addRun());
      const set = (body: unknown) => asking.ask(`${write}/experiment/set-start-end-time`, body);

      await Promise.all(
        runs.flatMap(({ key: experimentKey }) => [
          set({ experimentKey, startTimeMillis: 1_000_000 }),
          set({ experimentKey, endTimeMillis: 9_000_000 }),
        ]),
      );

      for (const { key } of runs) {
        const { startTimeMillis, endTimeMillis } = await asking.must(
          `${read}/experiment/metadata?experimentKey=${key}`,
        );
        expect([startTimeMillis, endTimeMillis]).to.deep.equal([1_000_000, 9_000_000]);
      }
    },
  },
  {
    rule: 'keeps every part of a view that different callers save',
    holds: 'the view',
    async run(asking) {
      const { project } = await asking.addRun();
      const projectId = await projectIdOf(asking, project);
      const parts = {
        experimentQueryState: 'q',
        dashboardChartState: 'd',
        reactGridTableState: 'g',
        v2: { a: 1 },
        v3: { b: 2 },
        codePanelTemplateIds: ['p'],
        pinnedExperiments: ['e'],
        autoRefreshEnabled: true,
      };
      for (let round = 0; round < 5; round++) {
        const { templateId } = await asking.must(`${write}/views/upsert`, {
          projectId,
          templateName: 'view',
        });

        const answers = await Promise.all(
          Object.entries(parts).map(([name, value]) =>
            asking.ask(`${write}/views/upsert`, {
              projectId,
              templateId,
              templateName: 'view',
              [name]: value,
            }),
          ),
        );

        expect(statuses(answers)).to.deep.equal({ 200: Object.keys(parts).length });
        const { views } = (await asking.must(`${read}/views/get-all?projectId=${projectId}`)) as {
          readonly views: readonly Record<string, unknown>[];
        }; // the row's reply
        const view = views.find((one) => one['templateId'] === templateId) ?? {};
        expect(
          Object.fromEntries(Object.keys(parts).map((name) => [name, view[name]])),
        ).to.deep.equal(parts);
      }
    },
  },
  {
    rule: 'holds the webhooks of one caller when all replace them',
    holds: 'the workspace, by who changes its webhooks',
    async run(asking) {
      const space = await asking.addWorkspace();

      const answers = await atOnce(many, (i) =>
        asking.ask(
          `${read}/webhooks/config`,
          {
            webhookConfigs: [
              {
                workspaceName: space,
                webhookUrls: [hook(`${i}-a`), hook(`${i}-b`), hook(`${i}-c`)],
              },
            ],
          },
          'PUT',
        ),
      );

      expect(statuses(answers)).to.deep.equal({ 204: many });
      const urls = await urlsOf(asking, space);
      expect([urls.length, new Set(urls.map((url) => url.replace(/-.$/, ''))).size]).to.deep.equal([
        3, 1,
      ]);
    },
  },
  {
    rule: 'keeps one webhook when all add the same address',
    holds: 'the workspace, by who changes its webhooks',
    async run(asking) {
      const space = await asking.addWorkspace();

      const answers = await atOnce(many, () =>
        asking.ask(`${read}/webhooks/config`, {
          webhookConfigs: [{ workspaceName: space, webhookUrls: [hook('same')] }],
        }),
      );

      expect(statuses(answers)).to.deep.equal({ 204: many });
      expect(await urlsOf(asking, space)).to.deep.equal(['http://127.0.0.1:9/same']);
    },
  },
  {
    rule: 'keeps every header and the name of a channel that different callers change',
    holds: 'the channel',
    async run(asking) {
      const { channelId } = await asking.must(`${write}/channels`, {
        workspaceName: asking.workspace,
        kind: 'http',
        name: 'before',
        target: 'http://127.0.0.1:9/hook',
        secret: 'one',
      });
      const change = (body: unknown) =>
        asking.ask(`${write}/channels/${String(channelId)}`, body, 'PUT');

      const answers = await Promise.all([
        change({ headers: { 'X-One': '1' } }),
        change({ name: 'after' }),
        change({ secret: 'two' }),
        ...Array.from({ length: 20 }, () => change({ enabled: true })),
      ]);

      expect(statuses(answers)).to.deep.equal({ 200: 23 });
      const { channels } = (await asking.must(
        `${read}/channels?workspaceName=${asking.workspace}`,
      )) as { readonly channels: readonly Record<string, unknown>[] }; // the row's reply
      const kept = channels.find((one) => one['channelId'] === channelId) ?? {};
      expect([kept['name'], Object.keys(kept['headers'] as object)]).to.deep.equal([
        'after',
        ['X-One'],
      ]); // an object, as the row says
    },
  },
  {
    rule: 'gives every trial of a grid once, and tells the others that it has ended',
    holds: 'the optimizer',
    async run(asking) {
      const { id } = await asking.must('/optimizer/create', {
        algorithm: 'grid',
        parameters: { x: { type: 'discrete', values: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] } },
      });

      const answers = await atOnce(many, () => asking.ask(`/optimizer/next?id=${String(id)}`));

      expect(statuses(answers)).to.deep.equal({ 200: many });
      const given = answers
        .filter(({ body }) => body['code'] === 200)
        .map(
          ({ body }) =>
            (body['parameters'] as { readonly parameters: { readonly x: number } }).parameters.x,
        ); // the row's reply
      expect([
        [...given].sort((a, b) => a - b),
        answers.filter(({ body }) => body['code'] === 404).length,
      ]).to.deep.equal([[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], many - 10]);
    },
  },
  {
    rule: 'keeps every tag that different callers add to a run',
    holds: 'the experiment',
    async run(asking) {
      const { key: experimentKey } = await asking.addRun();

      const answers = await atOnce(many, (i) =>
        asking.ask(`${write}/experiment/tags`, { experimentKey, addedTags: [`tag-${i}`] }),
      );

      expect(statuses(answers)).to.deep.equal({ 200: many });
      const { tags } = await asking.must(`${read}/experiment/tags?experimentKey=${experimentKey}`);
      expect(tags).to.have.length(many);
    },
  },
  {
    rule: 'keeps the name that one of many gives to a project, and refuses the taken ones',
    holds: 'the name of the project in its workspace',
    async run(asking) {
      const name = freshName('wanted');
      const projects = await atOnce(10, async () =>
        projectIdOf(asking, (await asking.addRun()).project),
      );

      const answers = await Promise.all(
        projects.map((projectId) =>
          asking.ask(`${write}/project/update`, { projectId, newProjectName: name }),
        ),
      );

      expect(answers.filter(({ status }) => status === 200)).to.have.length(1);
      expect(answers.filter(({ status }) => status >= 500)).to.deep.equal([]);
    },
  },
];
