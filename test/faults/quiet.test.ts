// Nothing on the network but what is asked for: no telemetry, no download at the start.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { callJson, createExperiment, mortalServer, newFolder } from './server.js';

/** Loaded before the server: notes every connection that leaves this machine, and every name that is looked up. */
const guard = (notes: string): string => `
const { appendFileSync } = require('node:fs');
const net = require('node:net'), dns = require('node:dns'), dgram = require('node:dgram');
const note = (what) => appendFileSync(${JSON.stringify(notes)}, what + '\\n');
const isNear = (host) => host === undefined || /^(127\\.|::1$|localhost$)/.test(host);
const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function (...given) {
  const [first] = Array.isArray(given[0]) ? given[0] : given;
  const { path, host } = typeof first === 'object' && first !== null ? first : { host: typeof given[1] === 'string' ? given[1] : undefined };
  if (path === undefined && !isNear(host)) note('connect ' + host);
  return connect.apply(this, given);
};
for (const name of ['lookup', 'resolve', 'resolve4']) { const before = dns[name]; dns[name] = (host, ...rest) => { if (!isNear(host)) note(name + ' ' + host); return before(host, ...rest); }; }
const send = dgram.Socket.prototype.send;
dgram.Socket.prototype.send = function (...given) { note('datagram'); return send.apply(this, given); };
`;

describe('a server on its own', () => {
  it('starts, serves and stops without reaching out of the machine', async function () {
    this.timeout(60_000);
    const folder = mkdtempSync(join(tmpdir(), 'orrery-quiet-'));
    const notes = join(folder, 'notes.txt');
    writeFileSync(join(folder, 'guard.cjs'), guard(notes));
    const server = await mortalServer(
      { NODE_OPTIONS: `--require=${join(folder, 'guard.cjs')}` },
      newFolder(),
    );
    try {
      await server.start();
      const key = await createExperiment(server);
      await callJson(server, '/api/rest/v2/write/experiment/metric', {
        experimentKey: key,
        metricName: 'loss',
        metricValue: '1',
      });
      await (await fetch(`${server.url}/`)).text();
      await wait(1500);
      await server.stop();

      expect(existsSync(notes) ? readFileSync(notes, 'utf8') : '').to.equal('');
    } finally {
      await server.destroy();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
