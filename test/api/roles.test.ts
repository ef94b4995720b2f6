// Every row, asked by every role: what the gate says is held against the table of what each may do.
import { expect } from 'chai';
import { isFailure } from '#ports/failure';
import { subjectsOf } from '#ports/api/operation';
import { standings, verdictOn, type Verdict } from '#ports/api/reach';
import { projects } from '#test/areas/workspaces/things';
import { askers, openBattery, type Battery } from './askers.js';
import { gateOver, straysOf, verdictOf } from './role-table.js';
import { allAreas, isRestricted, rows } from './rows.js';

describe('every role, at every operation', () => {
  let battery: Battery;

  before(async () => {
    battery = await openBattery();
  });
  after(() => battery?.stop());

  for (const asker of Object.entries(askers)) {
    it(`a ${asker[0]} is let through or refused as the table says`, async () => {
      const gate = gateOver(battery.storage, allAreas);

      expect(await straysOf(rows, gate, battery, asker)).to.deep.equal([]);
    });
  }

  it('states a verdict for every access and every standing', () => {
    for (const { operation } of rows)
      for (const standing of standings)
        expect(verdictOn(operation, standing)).to.be.oneOf(['allowed', 'refused', 'unknown']);
  });

  it('a restricted service account is told that it is not admitted to a workspace', async () => {
    const asks = await battery.byKey(
      (await battery.joined(undefined, { service: 'restricted' })).apiKey,
    );
    const row = rows.find(({ id }) => id === 'listProjects');
    if (row === undefined) throw new Error('the row is gone');

    const refusal = await gateOver(battery.storage, allAreas)
      .admit(
        row.operation,
        subjectsOf(row.operation),
        {
          query: { workspaceName: battery.home.workspace },
          params: {},
          body: undefined,
          part: {},
          header: {},
        },
        asks,
        {},
      )
      .catch((thrown: unknown) => thrown);

    expect(isFailure(refusal) && [refusal.kind, refusal.reason]).to.deep.equal([
      'forbidden',
      'serviceRestricted',
    ]);
  });

  it('a key of one project reaches that project, its experiments and nothing else', async () => {
    const asks = await battery.narrowedTo({
      workspace: battery.home.workspace,
      project: battery.home.of(projects).projectId,
    });
    const gate = gateOver(battery.storage, allAreas);
    const restricted = rows.filter(({ operation }) => isRestricted(operation));
    const verdicts = new Map<string, Verdict>();
    for (const row of restricted)
      verdicts.set(row.id, await verdictOf(gate, row, battery.home, asks));
    const of = (verdict: Verdict) =>
      [...verdicts].filter(([, one]) => one === verdict).map(([id]) => id);

    expect(of('allowed')).to.include.members([
      'getProject',
      'logMetric',
      'downloadAsset',
      'getProjectNotes',
      'accountDetails',
    ]);
    expect(of('refused')).to.include.members([
      'listProjects',
      'createProject',
      'upsertArtifact',
      'registerModel',
      'getArtifact',
      'addMember',
      'listUsers',
      'createWorkspace',
      'createKey',
    ]);
    const other =
      (
        await battery.storage.stores.projects.findByName(
          await battery.workspaceId(),
          battery.home.of(projects).otherProject,
        )
      )?.id ?? '';
    const elsewhere = await Promise.all(
      restricted
        .filter(({ operation }) =>
          subjectsOf(operation).some(
            (subject) =>
              'one' in subject &&
              subject.one.name === 'project' &&
              subject.paths.includes('query.projectId'),
          ),
        )
        .map((row) =>
          gateOver(battery.storage, allAreas)
            .admit(
              row.operation,
              subjectsOf(row.operation),
              { query: { projectId: other }, params: {}, body: {}, part: {}, header: {} },
              asks,
              {},
            )
            .then(
              () => `${row.id} let through`,
              () => 'refused',
            ),
        ),
    );
    expect([...new Set(elsewhere)]).to.deep.equal(['refused']);
  });
});
