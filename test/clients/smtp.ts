// A mail server on this machine: takes what it is sent, and behaves by the name of the mailbox.
import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

export interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers by lower-case name, unfolded; and what follows them. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  readonly raw: string;
}

export interface MailServer {
  readonly port: number;
  got(to?: string): readonly Mail[];
  /** Waits until a mailbox got so many. */
  until(to: string, count: number): Promise<readonly Mail[]>;
  /** What was logged in with, as `user password`. */
  logins(): readonly string[];
  stop(): Promise<void>;
}

const parse = (from: string, to: readonly string[], raw: string): Mail => {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const headers = new Map(
    head
      .replaceAll(/\r\n[ \t]+/g, ' ')
      .split('\r\n')
      .map((line): [string, string] => {
        const at = line.indexOf(':');
        return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
      }),
  );
  return { from, to, headers, body: rest.join('\r\n\r\n'), raw };
};

/** `refused@…` does not exist, `later@…` cannot be reached just now, `cut@…` ends the connection; everybody else gets their mail. */
export const startMailServer = async (): Promise<MailServer> => {
  const [all, logins, sockets]: [Mail[], string[], Set<Socket>] = [[], [], new Set()];
  const serve = (socket: Socket): void => {
    let [held, from, to, inData]: [string, string, string[], boolean] = ['', '', [], false];
    const say = (line: string) => {
      socket.write(`${line}\r\n`);
    };
    const take = (line: string): void => {
      const word = line.slice(0, 4).toUpperCase();
      if (word === 'EHLO') say('250-test.local\r\n250-AUTH PLAIN\r\n250 8BITMIME');
      else if (word === 'AUTH') {
        logins.push(
          Buffer.from(line.split(' ')[2] ?? '', 'base64')
            .toString()
            .split('\0')
            .slice(1)
            .join(' '),
        );
        say('235 welcome');
      } else if (word === 'MAIL') {
        from = /<(.*?)>/.exec(line)?.[1] ?? '';
        to = [];
        say('250 ok');
      } else if (word === 'RCPT') {
        const address = /<(.*?)>/.exec(line)?.[1] ?? '';
        if (address.startsWith('cut@')) socket.destroy();
        else if (address.startsWith('refused@')) say('550 5.1.1 no such mailbox');
        else if (address.startsWith('later@')) say('451 4.3.0 try later');
        else {
          to.push(address);
          say('250 ok');
        }
      } else if (word === 'DATA') {
        inData = true;
        say('354 go on');
      } else if (word === 'QUIT') {
        say('221 bye');
        socket.end();
      } else say('250 ok');
    };
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (piece: Buffer) => {
      held += piece.toString('latin1');
      for (;;) {
        const end = inData ? held.indexOf('\r\n.\r\n') : held.indexOf('\r\n');
        if (end < 0) return;
        const line = held.slice(0, end);
        held = held.slice(end + (inData ? 5 : 2));
        if (inData) {
          inData = false;
          all.push(parse(from, to, line.replaceAll('\r\n..', '\r\n.')));
          say(`250 taken ${'x'.repeat(300)}`);
        } else take(line);
      }
    });
    sockets.add(socket);
    say('220 test.local');
  };
  const server = createServer(serve);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const got = (address?: string) =>
    all.filter(({ to }) => address === undefined || to.includes(address));
  return {
    port: (server.address() as AddressInfo).port,
    got,
    logins: () => logins, // a TCP server's address has this form
    async until(to, count) {
      for (let tries = 0; tries < 400 && got(to).length < count; tries++) await wait(25);
      if (got(to).length < count)
        throw new Error(`${to} got ${String(got(to).length)} of ${String(count)}`);
      return got(to);
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        for (const socket of sockets) socket.destroy();
      }),
  };
};

/** The text of a mail that is in quoted-printable or as it is. */
export const decoded = (text: string): string =>
  Buffer.from(
    text
      .replaceAll(/=\r\n/g, '')
      .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  ).toString('utf8');
