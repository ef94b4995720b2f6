import ipaddr, { type IPv6 } from 'ipaddr.js';

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
