import { expect } from 'chai';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Client } from 'ldapts';
import { ldapWay, type LdapSettings } from '#adapters/auth/ldap/ldap-way';
import { inFilter, inName } from '#adapters/auth/ldap/escaping';
import { isFailure } from '#ports/failure';
import { rejection } from '#test/contract/storage/builders';
import { pendingUnlessAll } from '#test/pending';
import { startDirectory, type TestDirectory } from '#test/servers/slapd';

const password = 'seven lamps in a boat';

describe('what is typed', () => {
  it('means nothing in a filter', () => {
    expect(inFilter('a*(b)\\c\0é')).to.equal('a\\2a\\28b\\29\\5cc\\00é');
  });

  it('means nothing in a distinguished name', () => {
    expect(inName(' a,b+c="d"<e>;#\\\0 é ')).to.equal(
      '\\20a\\2cb\\2bc\\3d\\22d\\22\\3ce\\3e\\3b\\23\\5c\\00 é\\20',
    );
  });
});

describe('a directory', () => {
  let directory: TestDirectory;
  before('start a directory', async function () {
    const started = await startDirectory();
    if ('missing' in started) return pendingUnlessAll(this, started.missing);
    directory = started;
    await directory.add({ uid: 'ann', password, mail: 'ann@people.example' });
  });
  after(() => directory?.stop());

  let logged: string[] = [];
  beforeEach(() => {
    logged = [];
  });
  const log = {
    error: (sentence: string, facts?: object) => void logged.push(sentence + JSON.stringify(facts)),
    warn: (sentence: string) => void logged.push(sentence),
    info: () => undefined,
    debug: () => undefined,
  };
  const bySearch = () => ({
    bindName: directory.reader.name,
    bindPassword: directory.reader.password,
    base: directory.peopleBase,
    filter: '(uid={name})',
  });
  const settings = (given: Partial<LdapSettings> = {}): LdapSettings => ({
    url: directory.url,
    startTls: false,
    ca: undefined,
    timeoutMs: 5000,
    entries: bySearch(),
    attributes: { id: 'entryUUID', name: 'uid', email: 'mail', groups: '' },
    emailProved: false,
    groupSearch: undefined,
    admission: { provision: 'all', domains: [], groupRules: [] },
    ...given,
  });
  const check = (given: Partial<LdapSettings>, name = 'ann', typed = password) =>
    ldapWay(log, settings(given)).check(name, typed);
  const unavailable = async (work: Promise<unknown>): Promise<string> => {
    const thrown = await rejection(work);
    if (!isFailure(thrown)) throw thrown;
    expect(thrown.kind).to.equal('unavailable');
    return thrown.message;
  };

  it('takes an empty password for nobody, which is why it is never asked about one', async () => {
    const client = new Client({ url: directory.url });
    await client.bind(`uid=ann,${directory.peopleBase}`, '');
    await client.unbind();

    for (const entries of [bySearch(), { name: `uid={name},${directory.peopleBase}` }])
      expect(await check({ entries }, 'ann', '')).to.equal(undefined);
  });

  it('knows people whose names are full of what means something elsewhere', async () => {
    for (const uid of ['(an*n)', 'ann\\2a', 'ánn']) {
      await directory.add({ uid, password: `${password} of ${uid}` });
      expect((await check({}, uid, `${password} of ${uid}`))?.name).to.equal(uid);
      const entries = { name: `uid={name},${directory.peopleBase}` };
      if (!uid.includes('\\'))
        expect((await check({ entries }, uid, `${password} of ${uid}`))?.name).to.equal(uid);
      expect((await check({}, 'ann'))?.name).to.equal('ann');
    }
  });

  it('gives somebody else of the same name another subject', async () => {
    await directory.add({ uid: 'bea', password });
    const before = await check({}, 'bea');
    await directory.remove('bea');
    await directory.add({ uid: 'bea', password });

    expect((await check({}, 'bea'))?.subject)
      .to.be.a('string')
      .and.not.equal(before?.subject);
  });

  it('signs in nobody for a name that stands for several entries', async () => {
    for (const uid of ['twin-a', 'twin-b', 'twin-c'])
      await directory.add({ uid, password, mail: 'twins@people.example' });

    for (const filter of ['(mail={name})', '(|(mail={name})(uid=ann))']) {
      const found = await check({ entries: { ...bySearch(), filter } }, 'twins@people.example');
      expect(found).to.equal(undefined);
      expect(logged.join()).to.include('several entries');
    }
  });

  it('is refused where its certificate is not known, and never hears the password then', async () => {
    for (const address of [{ startTls: true }, { url: directory.tlsUrl }])
      expect(await unavailable(check(address))).to.equal(
        'the directory does not answer; try again later',
      );
    expect((await check({ startTls: true, ca: directory.ca }))?.name).to.equal('ann');
  });

  it('that does not know the account of the server is a fault for the log, not a wrong password', async () => {
    const entries = { ...bySearch(), bindPassword: 'wrong' };

    const message = await unavailable(check({ entries }));

    expect(message).to.equal('the directory does not work with this server; ask an administrator');
    expect(logged.join()).to.include('ORRERY_LDAP_BIND_DN').and.not.include('wrong"');
  });

  it('that lacks the search base, or shows no lasting id, is a fault for the log', async () => {
    await unavailable(check({ entries: { ...bySearch(), base: `ou=gone,${directory.base}` } }));
    expect(logged.join()).to.include('ORRERY_LDAP_SEARCH_BASE');
    await unavailable(
      check({ attributes: { id: 'objectGUID', name: 'uid', email: 'mail', groups: '' } }),
    );
    expect(logged.join()).to.include('ORRERY_LDAP_ID_ATTRIBUTE');
  });

  it('that accepts the connection and says nothing is given up after the time that is set', async () => {
    const sockets: Socket[] = [];
    const silent: Server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo; // a TCP server's address has this form
    const timeoutMs = 300;
    for (const address of [
      { url: `ldap://127.0.0.1:${String(port)}` },
      { url: `ldaps://127.0.0.1:${String(port)}` },
      { url: `ldap://127.0.0.1:${String(port)}`, startTls: true },
    ]) {
      const began = Date.now();
      await unavailable(check({ ...address, timeoutMs }));
      expect(Date.now() - began).to.be.lessThan(timeoutMs * 8);
    }
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => silent.close(resolve));
  });
});
