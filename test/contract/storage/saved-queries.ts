import { expect } from 'chai';
import type { SavedQuery } from '#ports/model/saved-queries';
import type { Storage } from '#ports/storage/storage';
import { freshId, rejection, start } from './builders.js';

export const aSavedQuery = (given: Partial<SavedQuery> = {}): SavedQuery => ({
  workspaceId: freshId(),
  id: freshId(),
  projectId: undefined,
  sql: "SELECT '{}' AS result",
  createdAt: start * 1000,
  createdBy: 'ann',
  ...given,
});

/** What every store of saved queries keeps to. */
export const savedQueryContract = (storage: () => Storage): void => {
  const queries = () => storage().stores.savedQueries;

  it('returns what was stored, in its workspace alone', async () => {
    const sent = aSavedQuery({
      projectId: freshId(),
      sql: `SELECT 'n\u00e4me \u{1f600}' -- ${'x'.repeat(65_000)}\n`,
    });
    const plain = aSavedQuery();
    await queries().insert(sent);
    await queries().insert(plain);

    expect(await queries().find(sent.workspaceId, sent.id)).to.deep.equal(sent);
    expect(await queries().find(plain.workspaceId, plain.id)).to.deep.equal(plain);
    expect(await queries().find(freshId(), sent.id)).to.equal(undefined);
    expect(await queries().find(sent.workspaceId, 'no-such-id')).to.equal(undefined);
  });

  it('refuses a taken id', async () => {
    const made = aSavedQuery();
    await queries().insert(made);

    expect(await rejection(queries().insert({ ...made, sql: 'SELECT 1' }))).to.include({
      kind: 'conflict',
    });
    expect(await queries().find(made.workspaceId, made.id)).to.deep.equal(made);
  });
};
