// Every row of the product, asked of a running server.
import { expect } from 'chai';
import { startServer, type StartedServer } from '#test/clients/server';
import { askEveryOperation, wrongsOf } from './asking-rows.js';
import { allFixtures } from './all-fixtures.js';
import { isRestricted, rows, wantedRows } from './rows.js';

const restricted = rows.filter(({ operation }) => isRestricted(operation));
/** Whether a body comes as bytes, in parts or as a form, where every value is a text. */
const isSent = (body: object): boolean => 'multipart' in body || 'raw' in body || 'form' in body;
const textOnly = restricted.filter((row) => wrongsOf(row).length === 0);

describe('every operation', () => {
  askEveryOperation({ rows: wantedRows, fixtures: allFixtures });

  const withBody = textOnly.filter(
    ({ operation: { body } }) => body !== undefined && !isSent(body),
  );
  it(`is asked with a wrong value, but for ${textOnly.length} of ${restricted.length} that take only texts in their address, or anything in their body (${withBody.length})`, () => {
    expect(withBody.length / restricted.length).to.be.below(0.02);
    expect(textOnly.length / restricted.length).to.be.below(0.55);
  });

  it('is asked for well over a hundred rows', () => {
    expect(restricted.length).to.be.greaterThan(200);
  });
});

describe('a page for who has signed in', () => {
  let server: StartedServer;
  before(async () => {
    const started = await startServer({ storage: 'embedded' });
    if ('missing' in started) throw new Error(started.missing);
    server = started;
  });
  after(() => server?.stop());

  it('sends somebody without a session to sign in, and back again', async () => {
    const { status, headers } = await fetch(`${server.url}/account?told=joined`, {
      redirect: 'manual',
    });
    expect([status, headers.get('Location')]).to.deep.equal([
      303,
      `/login?returnTo=${encodeURIComponent('/account?told=joined')}`,
    ]);
  });
});
