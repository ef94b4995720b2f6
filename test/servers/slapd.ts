// OpenLDAP's server with a few people, in the clear, by StartTLS and by TLS. It answers an empty password with success, as the protocol has it.
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AlreadyExistsError, Attribute, Change, Client } from 'ldapts';
import {
  findFreePort,
  findProgram,
  launch,
  makeFolder,
  makeSecret,
  NotInstalled,
  runToEnd,
  waitUntilReady,
  writeOwnFile,
} from './launch.js';
import type { MissingServer } from './servers.js';

export interface DirectoryPerson {
  readonly uid: string;
  readonly password: string;
  readonly mail?: string;
  /** Names of groups, which are made when there are none. */
  readonly groups?: readonly string[];
}

export interface TestDirectory {
  /** `ldap://` on this machine, which takes StartTLS. */
  readonly url: string;
  /** `ldaps://` on this machine. */
  readonly tlsUrl: string;
  /** The certificate by which its own is judged, in PEM. */
  readonly ca: string;
  readonly base: string;
  readonly peopleBase: string;
  readonly groupBase: string;
  /** An account that may read everything. */
  readonly reader: { readonly name: string; readonly password: string };
  /** Adds somebody, whose name is given. */
  add(person: DirectoryPerson): Promise<string>;
  remove(uid: string): Promise<void>;
  stop(): Promise<void>;
}

const base = 'dc=people,dc=example';
const peopleBase = `ou=people,${base}`;
const groupBase = `ou=groups,${base}`;
const reader = `cn=reader,${base}`;
const root = `cn=root,${base}`;

const modules = '/usr/lib/ldap';
const schemas = '/etc/ldap/schema';

const findSlapd = (): string => {
  const program = findProgram('slapd');
  if (program === undefined || !existsSync(join(modules, 'back_mdb.so')))
    throw new NotInstalled('no slapd: apt-get install -y --no-install-recommends slapd');
  if (findProgram('openssl') === undefined)
    throw new NotInstalled('no openssl: apt-get install -y openssl');
  return program;
};

/** A certificate for this machine, signed by itself. */
const makeCertificate = async (folder: string): Promise<string> => {
  const certificate = join(folder, 'certificate.pem');
  await runToEnd(findProgram('openssl') ?? 'openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-keyout', join(folder, 'key.pem'), '-out', certificate, '-days', '2'],
    ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
  ]);
  return readFileSync(certificate, 'utf8');
};

const configuration = (folder: string, data: string, secret: string): string => `
include ${schemas}/core.schema
include ${schemas}/cosine.schema
include ${schemas}/inetorgperson.schema
modulepath ${modules}
moduleload back_mdb
moduleload memberof
pidfile ${join(folder, 'slapd.pid')}
TLSCertificateFile ${join(folder, 'certificate.pem')}
TLSCertificateKeyFile ${join(folder, 'key.pem')}
allow bind_anon_cred bind_anon_dn
database mdb
suffix "${base}"
rootdn "${root}"
rootpw ${secret}
directory ${data}
dbnosync
index uid eq
overlay memberof
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="${reader}" read by self read by * none
`;

const asRoot = async <T>(
  url: string,
  secret: string,
  work: (client: Client) => Promise<T>,
): Promise<T> => {
  const client = new Client({ url, timeout: 5000, connectTimeout: 5000 });
  try {
    await client.bind(root, secret);
    return await work(client);
  } finally {
    client.unbind().catch(() => undefined); // it may never be answered by a server that is just starting, and nobody needs that answer
  }
};

/** Adds an entry unless it is there: an answer that came too late may have been a success. */
const addOnce = async (client: Client, ...entry: Parameters<Client['add']>): Promise<void> => {
  try {
    await client.add(...entry);
  } catch (error) {
    if (!(error instanceof AlreadyExistsError)) throw error;
  }
};

/** Makes the tree that people and groups hang in. May be repeated, since a busy machine may cut it off anywhere. */
const lay = async (client: Client, readerPassword: string): Promise<void> => {
  await addOnce(client, base, { objectClass: ['domain'], dc: 'people' });
  for (const ou of ['people', 'groups'])
    await addOnce(client, `ou=${ou},${base}`, { objectClass: ['organizationalUnit'], ou });
  await addOnce(client, reader, {
    objectClass: ['organizationalRole', 'simpleSecurityObject'],
    cn: 'reader',
    userPassword: readerPassword,
  });
};

/** Starts one on this machine, or says what it lacks. */
export const startDirectory = async (): Promise<TestDirectory | MissingServer> => {
  try {
    return await start();
  } catch (error) {
    if (error instanceof NotInstalled) return { missing: error.message };
    throw error;
  }
};

const start = async (): Promise<TestDirectory> => {
  const program = findSlapd();
  const name = `slapd-${randomUUID()}`; // suites of one process follow each other, and a directory begins empty
  const [folder, secret, readerPassword] = [makeFolder(name), makeSecret(), makeSecret()];
  const ca = await makeCertificate(folder);
  writeOwnFile(join(folder, 'slapd.conf'), configuration(folder, makeFolder(name, 'data'), secret));
  const [port, tlsPort] = [await findFreePort(), await findFreePort()];
  const [url, tlsUrl] = [
    `ldap://127.0.0.1:${String(port)}`,
    `ldaps://127.0.0.1:${String(tlsPort)}`,
  ];
  const server = launch({
    name: 'slapd',
    program,
    folder,
    arguments: ['-d', '0', '-h', `${url} ${tlsUrl}`, '-f', join(folder, 'slapd.conf')],
  });
  await waitUntilReady(server, () => asRoot(url, secret, (client) => lay(client, readerPassword)));
  return {
    url,
    tlsUrl,
    ca,
    base,
    peopleBase,
    groupBase,
    reader: { name: reader, password: readerPassword },
    add: (person) => asRoot(url, secret, (client) => addPerson(client, person)),
    remove: (uid) => asRoot(url, secret, (client) => client.del(`uid=${uid},${peopleBase}`)),
    stop: () => server.stop(),
  };
};

const addPerson = async (
  client: Client,
  { uid, password, mail, groups = [] }: DirectoryPerson,
): Promise<string> => {
  const dn = `uid=${uid},${peopleBase}`;
  await client.add(dn, {
    objectClass: ['inetOrgPerson'],
    uid,
    cn: uid,
    sn: uid,
    userPassword: password,
    ...(mail === undefined ? {} : { mail }),
  });
  for (const cn of groups) await enter(client, cn, dn);
  return dn;
};

const enter = async (client: Client, cn: string, member: string): Promise<void> => {
  const group = `cn=${cn},${groupBase}`;
  try {
    await client.add(group, { objectClass: ['groupOfNames'], cn, member });
  } catch (error) {
    if (!(error instanceof AlreadyExistsError)) throw error;
    const modification = new Attribute({ type: 'member', values: [member] });
    await client.modify(group, new Change({ operation: 'add', modification }));
  }
};
