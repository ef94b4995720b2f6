// Pages of other sites, which browsers let send requests to any address: where nobody proves who they are, one that is open somewhere could act as the user.
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

const hostIn = (address: string): string | undefined =>
  URL.canParse(address) ? new URL(address).host : undefined;

/** A name that no other site can have: an address in numbers, this machine, or how the server is reached. */
const isOwnName = (host: string, baseUrl: string): boolean => {
  const { hostname } = new URL(`http://${host}`);
  return (
    isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 ||
    hostname === 'localhost' ||
    hostname === new URL(baseUrl).hostname
  );
};

/** Whether a browser sends this for a page of another site, or believes that the server is that site: whoever owns a name decides to which address it leads. */
export const isForeign = (headers: IncomingHttpHeaders, baseUrl: string): boolean => {
  const { host = '', origin, 'sec-fetch-site': site, 'user-agent': agent = '' } = headers;
  if (site === 'cross-site' || site === 'same-site') return true;
  if (origin !== undefined && ![host, hostIn(baseUrl)].includes(hostIn(origin))) return true;
  if (!agent.startsWith('Mozilla/')) return false;
  return !URL.canParse(`http://${host}`) || !isOwnName(host, baseUrl);
};
