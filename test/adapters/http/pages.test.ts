import { expect } from 'chai';
import fc from 'fast-check';
import {
  asSentence,
  escapeHtml,
  failurePage,
  field,
  framed,
  html,
  notice,
  pageHeaders,
} from '#adapters/http/pages/frame';
import { isOwnPath } from '#core/own-path';

describe('pages', () => {
  it('let no text become markup, wherever it stands', () => {
    const bad = "\"><script>alert(1)</script><img src=x onerror='a'>&";
    const page = framed({
      title: bad,
      content: html`<p title="${bad}">${bad}</p>${notice('fault', [bad, bad])}${field({ name: 'n', label: bad, autocomplete: 'off', value: bad, hint: bad })}${[html`${bad}`]}`,
      who: { name: bad, csrf: bad },
    });

    expect(page).not.to.include('<script').and.not.to.include('<img').and.not.to.include("='a'");
    expect(escapeHtml(bad)).to.equal(
      '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=&#39;a&#39;&gt;&amp;',
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(html`${text}`.markup).not.to.match(/[<>"']/);
      }),
    );
  });

  it('are under a policy that runs and frames nothing', () => {
    const { 'Content-Security-Policy': policy, ...rest } = pageHeaders(['https://client.example']);

    expect(policy).to.equal(
      "default-src 'none'; style-src 'self'; img-src data:; form-action 'self' https://client.example; frame-ancestors 'none'; base-uri 'none'",
    );
    expect(rest).to.include({
      'Referrer-Policy': 'no-referrer',
      'X-Frame-Options': 'DENY',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    });
    expect(framed({ title: 'a', content: html`b` })).not.to.match(
      /<script|<style|\son\w+=|\sstyle=/,
    );
  });

  it('never send a password back', () => {
    expect(
      field({
        name: 'p',
        label: 'Password',
        type: 'password',
        autocomplete: 'current-password',
        value: 'secret',
      }).markup,
    ).not.to.include('secret');
  });

  it('tell what went wrong under the same policy', () => {
    const { headers, body } = failurePage(400, 'sessionId is <required>');

    expect(headers).to.deep.equal(pageHeaders());
    expect(body).to.include('sessionId is &lt;required&gt;.');
    expect([
      asSentence('the link expired'),
      asSentence('keyId is required'),
      asSentence('Done!'),
    ]).to.deep.equal(['The link expired.', 'keyId is required.', 'Done!']);
  });

  it('lead on to paths of our own only', () => {
    for (const own of [
      '/',
      '/account',
      '/consent?a=b&c=%2F%2Fevil.example#x',
      '/a//b',
      `/${'x'.repeat(7000)}`,
    ])
      expect(isOwnPath(own), own).to.equal(true);
    for (const foreign of [
      '',
      'account',
      '//evil.example',
      '///evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      'https://evil.example/',
      'javascript:alert(1)',
      '/\t/evil.example',
      '/\n/evil.example',
      '/a\0',
      '/.//evil.example',
      `/${'x'.repeat(9000)}`,
    ])
      expect(isOwnPath(foreign), foreign).to.equal(false);
  });
});
