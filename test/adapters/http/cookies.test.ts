import { expect } from 'chai';
import { cookieJar, cookiePolicy } from '#adapters/http/cookies';

describe('cookies', () => {
  const policy = (JWT_SAME_SITE: string, HTTPS_ENABLED: string, baseUrl: string) =>
    cookiePolicy({ JWT_SAME_SITE, HTTPS_ENABLED, baseUrl });

  it('follow the scheme of the address where nothing is set', () => {
    expect(policy('', '', 'https://orrery.example')).to.deep.equal({
      secure: true,
      sameSite: 'none',
    });
    expect(policy('', '', 'http://10.0.0.7:4400')).to.deep.equal({
      secure: false,
      sameSite: 'lax',
    });
  });

  it('follow what is set', () => {
    expect(policy('STRICT', 'true', 'http://orrery.example')).to.deep.equal({
      secure: true,
      sameSite: 'strict',
    });
    expect(policy('LAX', '', 'https://orrery.example')).to.deep.equal({
      secure: true,
      sameSite: 'lax',
    });
    expect(policy('', 'false', 'https://orrery.example')).to.deep.equal({
      secure: false,
      sameSite: 'lax',
    });
    expect(policy('NONE', 'true', 'http://orrery.example')).to.deep.equal({
      secure: true,
      sameSite: 'none',
    });
  });

  it('are refused where browsers would not take them', () => {
    expect(() => policy('NONE', '', 'http://10.0.0.7')).to.throw(
      'JWT_SAME_SITE is NONE, which browsers take with https only: give ORRERY_BASE_URL an https address, or JWT_SAME_SITE to LAX',
    );
    expect(() => policy('NONE', 'false', 'https://orrery.example')).to.throw(
      'set HTTPS_ENABLED to true',
    );
  });

  it('are written so that no script reads them, and are forgotten at once', () => {
    const jar = cookieJar({ secure: true, sameSite: 'none' });
    expect(jar.write({ cookie: 'session', value: 'abc', seconds: 60 })).to.equal(
      'sessionToken=abc; Max-Age=60; Path=/; HttpOnly; Secure; SameSite=None',
    );
    expect(jar.write({ cookie: 'session', value: undefined })).to.equal(
      'sessionToken=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=None',
    );
  });

  it('of forms bear the prefix of their host where https is used, and no longer name is taken for them', () => {
    const jar = cookieJar({ secure: true, sameSite: 'lax' });
    expect(jar.write({ cookie: 'form', value: 'abc' })).to.equal(
      '__Host-orreryForm=abc; Path=/; HttpOnly; Secure; SameSite=Strict',
    );
    expect(jar.read('orreryForm=wrong; __Host-orreryForm=right; x=1')).to.deep.equal({
      form: 'right',
    });
    expect(jar.read(undefined)).to.deep.equal({});
    expect(jar.read('__proto__=1; ;;==; sessionToken')).to.deep.equal({});
  });
});
