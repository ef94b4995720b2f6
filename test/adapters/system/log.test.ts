import { Writable } from 'node:stream';
import { expect } from 'chai';
import { systemLog } from '#adapters/system/log';

describe('the log', () => {
  const written = (given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
    let text = '';
    systemLog(
      'debug',
      new Writable({
        write(piece: Buffer, _encoding, done) {
          text += piece.toString();
          done();
        },
      }) as never,
    ).error('said', given); // a stream is what pino writes to
    expect(text.length).to.be.below(20_000);
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  };

  it('cuts long values wherever they stand', () => {
    const long = 'x'.repeat(1_000_000);

    const { path, list, within } = written({
      path: long,
      list: Array.from({ length: 1000 }, () => 'y'),
      within: { a: { b: long } },
    }) as { path: string; list: string[]; within: { a: { b: string } } };

    expect(path).to.match(/^x{2000}… \(1000000 characters\)$/);
    expect(list).to.have.length(50);
    expect(within.a.b).to.have.length.below(2100);
  });

  it('shows an error with its place, its code and its cause, and cuts its message', () => {
    const error = Object.assign(
      new Error(`failed ${'x'.repeat(100_000)}`, { cause: new Error('because') }),
      { code: 'E1', sql: 'y'.repeat(100_000) },
    );

    const { err } = written({ error }) as { err: Readonly<Record<string, string>> };

    expect(err['type']).to.equal('Error');
    expect(err['message']).to.match(/^failed x+…/);
    expect(err['code']).to.equal('E1');
  });

  it('keeps what bears the name of a secret', () => {
    expect(
      written({ password: 'p', user: { token: 't', name: 'n' }, a: [{ b: { cookie: 'c' } }] }),
    ).to.deep.include({
      password: '…',
      user: { token: '…', name: 'n' },
      a: [{ b: { cookie: '…' } }],
    });
  });
});
