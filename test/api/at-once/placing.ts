// Runs that are made while the place they go to is deleted, moved or full.
import { expect } from 'chai';
import { freshKey, freshName } from '../fresh.js';
import { atOnce, many, read, statuses, write, type Answer, type Asking } from './asking.js';
import type { UseCase } from './table.js';

const create = ({ ask }: Asking, workspaceName: string, projectName: string): Promise<Answer> =>
  ask(`${write}/experiment/create`, { workspaceName, projectName });
const keysOf = (answers: readonly Answer[]): readonly string[] =>
  answers.filter(({ status }) => status === 200).map(({ body }) => String(body['experimentKey']));

/** Of acknowledged runs, those that cannot be read. */
const listLost = async (
  { ask }: Asking,
  answers: readonly Answer[],
): Promise<readonly string[]> => {
  const found = await Promise.all(
    keysOf(answers).map(async (key) => ({
      key,
      ...(await ask(`${read}/experiment/metadata?experimentKey=${key}`)),
    })),
  );
  return found.filter(({ status }) => status !== 200).map(({ key }) => key);
};

/** Half of the requests, then something else, then the other half, all under way at once. */
const amidst = async (
  request: () => Promise<Answer>,
  other: () => Promise<Answer>,
): Promise<{ readonly answers: readonly Answer[]; readonly other: Answer }> => {
  const [first, amid, second] = await Promise.all([
    atOnce(many / 2, request),
    other(),
    atOnce(many / 2, request),
  ]);
  return { answers: [...first, ...second], other: amid };
};

const refused = [400, 404];
const expectNoFault = (answers: readonly Answer[]): void => {
  expect(answers.filter(({ status }) => status !== 200 && !refused.includes(status))).to.deep.equal(
    [],
  );
};

export const placingCases: readonly UseCase[] = [
  {
    rule: 'loses no acknowledged run when its workspace is deleted meanwhile',
    holds: 'the workspace, by who makes a project in it and by who deletes it',
    async run(asking) {
      for (let round = 0; round < 3; round++) {
        const space = await asking.addWorkspace();
        let asked = 0;

        const { answers, other } = await amidst(
          () => create(asking, space, `project-${asked++ % 5}`),
          () => asking.ask('/api/admin/workspace/delete', { workspaceName: space }),
        );

        expect(await listLost(asking, answers)).to.deep.equal([]);
        expectNoFault(answers);
        expect([200, 400]).to.include(other.status);
      }
    },
  },
  {
    rule: 'loses no acknowledged run when its project is deleted without its experiments meanwhile',
    holds: 'the project, shared by who places a run there',
    async run(asking) {
      for (let round = 0; round < 3; round++) {
        const { project } = await asking.addRun();

        const { answers, other } = await amidst(
          () => create(asking, asking.workspace, project),
          () =>
            asking.ask(`${write}/project/delete`, {
              workspaceName: asking.workspace,
              projectName: project,
            }),
        );

        expect(await listLost(asking, answers)).to.deep.equal([]);
        expect(statuses([...answers, other])).to.deep.equal({ 200: many + 1 });
      }
    },
  },
  {
    rule: 'leaves no run behind when its project moves to another workspace meanwhile',
    holds: 'the project, shared by who places a run there',
    async run(asking) {
      for (let round = 0; round < 3; round++) {
        const [{ project }, target] = [await asking.addRun(), await asking.addWorkspace()];
        const { projectId } = await asking.must(
          `${read}/project?workspaceName=${asking.workspace}&projectName=${project}`,
        );

        const { answers, other } = await amidst(
          () => create(asking, asking.workspace, project),
          () => asking.ask(`${write}/project/move`, { projectId, targetWorkspaceName: target }),
        );

        expect(statuses([...answers, other])).to.deep.equal({ 200: many + 1 });
        for (const key of keysOf(answers)) {
          const { workspaceName, projectId: home } = await asking.must(
            `${read}/experiment/metadata?experimentKey=${key}`,
          );
          expect(workspaceName).to.equal(home === projectId ? target : asking.workspace);
        }
        const listed = (await asking.must(
          `${read}/experiments?projectId=${String(projectId)}`,
        )) as { readonly experiments: readonly { readonly workspaceName: string }[] }; // the row's reply
        expect([
          ...new Set(listed.experiments.map(({ workspaceName }) => workspaceName)),
        ]).to.deep.equal([target]);
      }
    },
  },
  {
    rule: 'moves every run to a project that is deleted meanwhile without losing one',
    holds: 'the target project, shared by who moves a run there',
    async run(asking) {
      const runs = await atOnce(20, () => asking.addRun());
      const { project: target } = await asking.addRun();

      const answers = await Promise.all([
        ...runs.map(({ key }) =>
          asking.ask(`${write}/experiment/move`, {
            targetWorkspaceName: asking.workspace,
            targetProjectName: target,
            experimentKeys: [key],
          }),
        ),
        asking.ask(`${write}/project/delete`, {
          workspaceName: asking.workspace,
          projectName: target,
        }),
      ]);

      expect(statuses(answers)).to.deep.equal({ 200: 21 });
      for (const { key } of runs)
        expect(
          (await asking.ask(`${read}/experiment/metadata?experimentKey=${key}`)).status,
        ).to.equal(200);
    },
  },
  {
    rule: 'makes one project for all the runs that name the same new one',
    holds: 'the workspace, by who makes a project in it',
    async run(asking) {
      const project = freshName('project');

      const answers = await atOnce(many, () => create(asking, asking.workspace, project));

      expect(statuses(answers)).to.deep.equal({ 200: many });
      const { numberOfExperiments } = await asking.must(
        `${read}/project?workspaceName=${asking.workspace}&projectName=${project}`,
      );
      expect(numberOfExperiments).to.equal(many);
    },
  },
  {
    rule: 'lets no more runs into a workspace than it may hold',
    holds: 'the workspace, where it has a limit',
    async run(asking) {
      const space = await asking.addWorkspace();
      await asking.must('/api/admin/workspace/quota', { workspaceName: space, experiments: 10 });

      const answers = await atOnce(many, () => create(asking, space, 'general'));

      expect(statuses(answers)).to.deep.equal({ 200: 10, 400: many - 10 });
    },
  },
  {
    rule: 'opens one run for all who ask for the same key to be opened or made',
    holds: 'the key of the run: whoever finds it taken reopens it',
    async run(asking) {
      const [experimentKey, projectName] = [freshKey(), freshName('project')];

      const answers = await atOnce(many, () =>
        asking.ask('/clientlib/logger/add/run', {
          experimentKey,
          projectName,
          teamName: asking.workspace,
          getOrCreateEnabled: true,
        }),
      );

      expect(statuses(answers)).to.deep.equal({ 200: many });
    },
  },
  {
    rule: 'makes one run of a key for which all ask, and refuses the others',
    holds: 'the key of the run',
    async run(asking) {
      const [experimentKey, projectName] = [freshKey(), freshName('project')];

      const answers = await atOnce(many, () =>
        asking.ask('/clientlib/logger/add/run', {
          experimentKey,
          projectName,
          teamName: asking.workspace,
        }),
      );

      expect(statuses(answers)).to.deep.equal({ 200: 1, 400: many - 1 });
    },
  },
];
