import { expect } from 'chai';
import Koa from 'koa';
import { belowBase } from '#adapters/http/base-path';
import { mergeSlashes } from '#adapters/http/slashes';
import { basePathOf } from '#ports/settings';
import { listening } from './listening.js';

const base = '/ml/orrery';

describe('a server below a path of its host', () => {
  /** What the server behind it is asked for, and what a browser is sent then. */
  const through = async (
    path: string,
    answer: (ctx: Koa.Context) => void = () => undefined,
  ): Promise<{ readonly asked: string; readonly reply: Response; readonly text: string }> => {
    const app = new Koa();
    let asked = '';
    app.use(mergeSlashes);
    app.use(belowBase(base, () => false));
    app.use((ctx) => {
      asked = ctx.url;
      ctx.body = '';
      answer(ctx);
    });
    const [reply, text] = await listening(app, async (port) => {
      const got = await fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual' });
      return [got, await got.text()] as const;
    });
    return { asked, reply, text };
  };

  it('has the path of its address, without a slash at the end', () => {
    expect(basePathOf('https://host.example/ml/orrery')).to.equal(base);
    expect(basePathOf('https://host.example')).to.equal('');
  });

  it('is asked with the path or without it, as the proxy has it', async () => {
    for (const [path, asked] of [
      ['/ml/orrery/w/a?b=/ml/orrery', '/w/a?b=/ml/orrery'],
      ['/ml/orrery', '/'],
      ['/ml/orrery/', '/'],
      ['/ml/orrery//api/x', '/api/x'],
      ['//ml//orrery/api/x?b=//c', '/api/x?b=//c'],
      ['/ml/orreryx/a', '/ml/orreryx/a'],
      ['/w/a', '/w/a'],
      [
        '/.well-known/oauth-authorization-server/ml/orrery',
        '/.well-known/oauth-authorization-server',
      ],
    ] as const)
      expect([path, (await through(path)).asked]).to.deep.equal([path, asked]);
  });

  it('leads browsers to its own addresses below the path, and leaves those elsewhere', async () => {
    for (const [to, led] of [
      ['/login?returnTo=%2Fw', '/ml/orrery/login?returnTo=%2Fw'],
      ['/ml/orrery/w', '/ml/orrery/w'],
      ['https://else.example/a', 'https://else.example/a'],
      ['//else.example/a', '//else.example/a'],
    ] as const) {
      const moved = await through('/a', (ctx) => {
        ctx.redirect(to);
      });
      expect(moved.reply.headers.get('location')).to.equal(led);
      const refreshed = await through('/a', (ctx) => {
        ctx.set('Refresh', `0; url=${to}`);
      });
      expect(refreshed.reply.headers.get('refresh')).to.equal(`0; url=${led}`);
    }
  });

  it('names its addresses below the path in its pages, and changes no text in them', async () => {
    const page = (root: string) =>
      `<a class="a" href="${root}/login">/login href=&quot;/x&quot;</a><form method="post" action="${root}/w"><img src="data:,"><a href="https://else.example/">`;
    const { text } = await through('/a', (ctx) => {
      ctx.type = 'text/html';
      ctx.body = page('');
    });
    expect(text).to.equal(page(base));
    const plain = await through('/a', (ctx) => {
      ctx.type = 'text/plain';
      ctx.body = page('');
    });
    expect(plain.text).to.equal(page(''));
  });

  it('cannot be below what is an address of its own', () => {
    expect(() => belowBase('/api/a', () => true)).to.throw(
      'ORRERY_BASE_URL must not have a path that begins with /api',
    );
  });
});
