import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownLocation } from './connect-location.ts';

const AT = { base: '/api/v1/nodes/n/proxy', hosts: ['10.0.0.1:80', 'api.example'] };

test('addresses of a back end are shown below its path, wherever it calls itself', () => {
  const shown = {
    '/': '/',
    '/x/y/?q=/a#f': '/x/y/?q=/a#f',
    '/a/../../b/./c/..': '/b/',
    '/%2e%2E/x': '/x',
    '///x': '/x',
    '//10.0.0.1:80/x': '/x',
    'http://10.0.0.1:80': '/',
    'https://api.example?q': '/?q',
    '/x?a=\\': '/x?a=\\',
    '/%zz': '/%zz',
  };
  for (const [url, path] of Object.entries(shown)) assert.equal(shownLocation(url, AT), `${AT.base}${path}`, url);
});

test('what is relative, or below the path already, stays', () => {
  for (const url of ['', 'x', '../x', '?q', '#f', './a:b', AT.base, `${AT.base}/x?y`]) assert.equal(shownLocation(url, AT), url);
  assert.equal(shownLocation(`${AT.base}x`, AT), `${AT.base}${AT.base}x`);
  assert.equal(shownLocation(`http://api.example${AT.base}/x`, AT), `${AT.base}/x`);
});

test('other hosts and other schemes are elsewhere, and so is what browsers take for one', () => {
  const elsewhere = ['http://other.example/', '//other.example', '//', '//10.0.0.1/x', 'http://a@10.0.0.1:80/', 'mailto:a', 'javascript:x', 'http:x', 'http:/x', '/\\other.example', '\\\\other.example', '\t//x', 'java\nscript:x'];
  for (const url of elsewhere) assert.equal(shownLocation(url, AT), undefined, url);
});
