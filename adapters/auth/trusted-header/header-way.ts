// Signing in at a proxy before the server, which says in a header who it is.
import type { Admission, HeadersWay, ToldRequest } from '#ports/sign-in';

export interface HeaderSettings {
  readonly label: string;
  /** The header with the name of the person, in lower case. */
  readonly userHeader: string;
  /** Not read when empty. */
  readonly emailHeader: string;
  /** With commas between groups; not read when empty. */
  readonly groupsHeader: string;
  /** Whether the proxy's e-mails are known to be their owners'. */
  readonly emailProved: boolean;
  readonly admission: Admission;
}

/** The longest name that is believed. */
const maxLength = 256;

const textIn = ({ headers }: ToldRequest, name: string): string | undefined => {
  const value = name === '' ? undefined : headers[name]?.trim();
  return value === undefined || value === '' ? undefined : value;
};

/** Header fields come as Latin-1 characters; proxies write UTF-8. */
const decoded = (value: string): string => {
  const text = Buffer.from(value, 'latin1').toString('utf8');
  return text.includes('\ufffd') ? value : text;
};

export const headerWay = (settings: HeaderSettings): HeadersWay => ({
  kind: 'headers',
  name: 'trusted-header',
  label: settings.label,
  admission: settings.admission,
  async read(request) {
    if (!request.fromTrustedProxy) return undefined;
    const given = textIn(request, settings.userHeader);
    // A header that was sent twice is joined by commas: whose name would count?
    if (given === undefined || given.length > maxLength || given.includes(',')) return undefined;
    const name = decoded(given);
    return {
      subject: name,
      name,
      email: textIn(request, settings.emailHeader),
      emailProved: settings.emailProved,
      groups: (textIn(request, settings.groupsHeader) ?? '')
        .split(',')
        .map((group) => decoded(group.trim()))
        .filter((group) => group !== ''),
    };
  },
});
