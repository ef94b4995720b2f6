// Where requests come from.
import ipaddr, { type IPv6 } from 'ipaddr.js';
import type { Context } from 'koa';
import { BlockList, isIP, type Socket } from 'node:net';
import { Failure } from '#ports/failure';
import type { Log } from '#ports/log';

/** What stands for everybody behind an address: itself, or of IPv6 the /64 that one customer has. */
export const networkOf = (address: string): string => {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address); // an IPv4 address written as IPv6 is one of IPv4
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${(parsed as IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`; // of the other kind, as was just asked
};

/** Addresses whose word about where a request came from is believed. */
export const trustedProxies = (list: string): BlockList => {
  const trusted = new BlockList();
  for (const one of list
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '')) {
    const [address = '', bits] = one.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (
      isIP(address) === 0 ||
      (bits !== undefined && !/^\d{1,3}$/.test(bits)) ||
      Number(bits ?? 0) > (family === 'ipv6' ? 128 : 32)
    )
      throw new Failure(
        'invalid',
        `ORRERY_TRUSTED_PROXIES names ${one.slice(0, 60)}, which is neither an address nor a network`,
      );
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  return trusted;
};
const plainAddress = (address: string): string =>
  address
    .trim()
    .replace(/^\[(.*)\](:\d+)?$/, '$1')
    .replace(/^::ffff:(?=\d+\.)/i, '')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');

const isTrusted = (address: string, trusted: BlockList): boolean =>
  isIP(address) !== 0 && trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** Where a request came from. */
export interface Source {
  readonly address: string;
  /** Whether the other end of the connection is a proxy that is trusted. */
  readonly trusted: boolean;
}

/**
 * Reads where a request came from: the socket's address, or the right-most forwarded hop that no trusted proxy is; what stands left of it
 * anybody may have written. Warns once when an address that is not trusted forwards, since all who come through it count as one.
 */
export const sourceReader = (trusted: BlockList, log: Log): ((ctx: Context) => Source) => {
  const peers = new WeakMap<Socket, Source>(); // a connection brings many requests from one address
  const peerOf = (socket: Socket): Source => {
    const known = peers.get(socket);
    if (known !== undefined) return known;
    const address = plainAddress(socket.remoteAddress ?? '');
    const peer = { address, trusted: isTrusted(address, trusted) };
    peers.set(socket, peer);
    return peer;
  };
  let warned = false;
  return (ctx) => {
    const peer = peerOf(ctx.req.socket);
    const forwarded = ctx.get('X-Forwarded-For');
    if (forwarded === '') return peer;
    if (!peer.trusted) {
      if (!warned)
        log.warn(
          'X-Forwarded-For came from an address that ORRERY_TRUSTED_PROXIES does not list; all who come through it count as one',
          { address: peer.address },
        );
      warned = true;
      return peer;
    }
    const hops = forwarded
      .split(',')
      .map(plainAddress)
      .filter((hop) => hop !== '');
    const address = hops.findLast((hop) => !isTrusted(hop, trusted)) ?? peer.address;
    return { address, trusted: true };
  };
};
