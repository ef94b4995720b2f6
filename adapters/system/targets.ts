// The one place that judges where a request may go whose address a user gave.
import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { Failure } from '#ports/failure';

const setting = 'ORRERY_ALLOW_PRIVATE_TARGETS';

/** Everything that is not the open network: special-purpose addresses of RFC 6890 and what came after it, and the forms that hide an IPv4 address in an IPv6 one. */
const closedNetworks = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
];
/** Where clouds tell a machine its credentials. */
const metadataAddresses = [
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '169.254.0.23',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
];
const metadataNames =
  /^(metadata|metadata\.google\.internal|metadata\.goog|instance-data|instance-data\.ec2\.internal)$/;

type Family = 'ipv4' | 'ipv6';
const familyOf = (address: string): Family => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

const addTo = (list: BlockList, text: string): boolean => {
  const [address = '', length] = text.split('/');
  const kind = isIP(address);
  const most = kind === 6 ? 128 : 32;
  if (kind === 0 || (length !== undefined && (!/^\d{1,3}$/.test(length) || Number(length) > most)))
    return false;
  list.addSubnet(address, length === undefined ? most : Number(length), familyOf(address));
  return true;
};
const listOf = (texts: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const text of texts) addTo(list, text);
  return list;
};

const closed = listOf(closedNetworks);
const metadata = listOf(metadataAddresses);

/** An address without its zone, which only says through which interface it is reached. */
const withoutZone = (address: string): string => address.split('%', 1)[0] ?? '';

/** The groups of an IPv6 address. */
const groupsOf = (address: string): readonly number[] => {
  const [head = '', tail] = withoutZone(address)
    .replace(
      /(?<!\d)(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/,
      (_, a, b, c, d) =>
        `${((Number(a) << 8) | Number(b)).toString(16)}:${((Number(c) << 8) | Number(d)).toString(16)}`,
    )
    .split('::');
  const parse = (text: string) =>
    text === '' ? [] : text.split(':').map((group) => parseInt(group, 16));
  const [front, back] = [parse(head), parse(tail ?? '')];
  return tail === undefined
    ? front
    : [...front, ...Array.from({ length: 8 - front.length - back.length }, () => 0), ...back];
};
/** The IPv4 address that an IPv6 one stands for, in any of the ways that some network translates. */
const hiddenIn = (address: string): string | undefined => {
  const groups = groupsOf(address);
  const dotted = (high = 0, low = 0) => `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
  const begins = (...with_: readonly number[]) =>
    with_.every((group, place) => groups[place] === group);
  if (
    begins(0, 0, 0, 0, 0, 0xffff) ||
    begins(0, 0, 0, 0, 0, 0) ||
    begins(0, 0, 0, 0, 0xffff, 0) ||
    begins(0x64, 0xff9b)
  )
    return dotted(groups[6], groups[7]);
  return begins(0x2002) ? dotted(groups[1], groups[2]) : undefined;
};

const isIn = (list: BlockList, given: string): boolean => {
  const address = withoutZone(given);
  const hidden = isIP(address) === 6 ? hiddenIn(address) : undefined;
  return (
    list.check(address, familyOf(address)) || (hidden !== undefined && list.check(hidden, 'ipv4'))
  );
};

export interface Target {
  readonly url: URL;
  /** The address to connect to; no name is resolved again. */
  readonly address: string;
}

export interface Targets {
  /** The address as such. Refuses with `invalid` what is not an address, or stands for a refused address as it is written. */
  check(text: string): URL;
  /** Resolves the name and chooses an address of it that may be called. Refuses with `invalid`; a name that is not found rejects as the system says it. */
  resolve(text: string): Promise<Target>;
}

const hostOf = (url: URL): string =>
  url.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();

type Resolver = (host: string) => Promise<readonly string[]>;
const system: Resolver = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/** `allowed` lists hosts, addresses and networks, separated by commas. Refuses with `invalid` an entry that is none of them. */
export const judgeTargets = (allowed: string, resolver: Resolver = system): Targets => {
  const [hosts, networks] = [new Set<string>(), new BlockList()];
  for (const entry of allowed.split(/[\s,]+/).filter((one) => one !== '')) {
    if (addTo(networks, entry.replace(/^\[|\]$/g, ''))) continue;
    if (!/^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/i.test(entry) || /^[\d.]+$/.test(entry))
      throw new Failure(
        'invalid',
        `${setting} holds ${entry.slice(0, 80)}, which is no host, address or network`,
      );
    hosts.add(entry.toLowerCase());
  }
  const mayCall = (host: string, address: string): boolean =>
    !isIn(metadata, address) &&
    (!isIn(closed, address) || hosts.has(host) || isIn(networks, address));
  const refusal = (host: string, address: string) =>
    new Failure(
      'invalid',
      isIn(metadata, address) || metadataNames.test(host)
        ? `${host} is an address of cloud metadata, which is never called`
        : `${host} is a private address, which is called only when ${setting} lists it`,
    );
  const check = (text: string): URL => {
    if (!URL.canParse(text))
      throw new Failure(
        'invalid',
        'a target must be an address that begins with http:// or https://',
      );
    const url = new URL(text);
    if (url.protocol !== 'http:' && url.protocol !== 'https:')
      throw new Failure(
        'invalid',
        'a target must be an address that begins with http:// or https://',
      );
    if (url.username !== '' || url.password !== '')
      throw new Failure(
        'invalid',
        'a target must not hold a user or a password: give them in a header',
      );
    const host = hostOf(url);
    if (metadataNames.test(host)) throw refusal(host, '');
    if (isIP(host) !== 0 && !mayCall(host, host)) throw refusal(host, host);
    if (
      /(^|\.)localhost$/.test(host) &&
      !hosts.has(host) &&
      !mayCall(host, '127.0.0.1') &&
      !mayCall(host, '::1')
    )
      throw refusal(host, '127.0.0.1');
    return url;
  };
  return {
    check,
    async resolve(text) {
      const url = check(text);
      const host = hostOf(url);
      const addresses = isIP(host) === 0 ? await resolver(host) : [host];
      const address = addresses.find((one) => mayCall(host, one));
      if (address === undefined) throw refusal(host, addresses[0] ?? '');
      return { url, address };
    },
  };
};
