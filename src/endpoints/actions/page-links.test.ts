import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PageLinks } from './page-links.ts';

const shown = (pieces: readonly string[]): string => {
  const links = new PageLinks((url) => (url.startsWith('/') ? `/base${url}` : undefined));
  return [...pieces.map((piece) => links.push(piece)), links.end()].join('');
};

const PAGES = [
  ['', ''],
  ['no page', 'no page'],
  ['<a href="/x">', '<a href="/base/x">'],
  ["<A\nHREF = '/x?a=1&amp;b=2#c'\t>", "<A\nHREF = '/base/x?a=1&amp;b=2#c'\t>"],
  ['<img src=/i.png alt=/no><br/>', '<img src="/base/i.png" alt=/no><br/>'],
  ['<a href=/a"b>', '<a href="/base/a&#34;b">'],
  ['<a href="x"><a href=""><a href><a href=><a =/x href="/y">', '<a href="x"><a href=""><a href><a href=><a =/x href="/base/y">'],
  ['<form action="/a"><button formaction=\'/b\'/><p href="/no">', '<form action="/base/a"><button formaction=\'/base/b\'/><p href="/no">'],
  ['<a title="a > b" href="/x">1 < 2 <3 <', '<a title="a > b" href="/base/x">1 < 2 <3 <'],
  ['<!-- <a href="/no"> --><a href="/x">', '<!-- <a href="/no"> --><a href="/base/x">'],
  ['<!--><a href="/x"><!DOCTYPE html "/y"><?x?></ p><a href="/z">', '<!--><a href="/base/x"><!DOCTYPE html "/y"><?x?></ p><a href="/base/z">'],
  ['<script src="/s">a="<a href=\'/no\'></scripts>"</script ><a href="/x">', '<script src="/base/s">a="<a href=\'/no\'></scripts>"</script ><a href="/base/x">'],
  ['<TITLE>a<b</TITLE><link href=/x>', '<TITLE>a<b</TITLE><link href="/base/x">'],
  ['<a href="/x', '<a href="/x'],
  ['<!-- never ends <a href="/x">', '<!-- never ends <a href="/x">'],
] as const;

test('links of a page are moved, and nothing else is changed, wherever the page is cut', () => {
  for (const [page, expected] of PAGES) {
    assert.equal(shown([page]), expected);
    assert.equal(shown([...page]), expected);
    for (let at = 1; at < page.length; at++) assert.equal(shown([page.slice(0, at), page.slice(at)]), expected, `${page} at ${at}`);
  }
});

test('what is kept of a page has a bound: a tag that is longer stays as it is, and those behind it are moved', () => {
  const long = `<img alt="${'x'.repeat(40 * 1024)}" src="/i"><a href="/x">`;
  const pieces = long.match(/.{1,4096}/gs) ?? [];
  for (const cut of [pieces, [long]]) assert.equal(shown(cut), long.replace('"/x"', '"/base/x"'));
});

test('what begins tags and ends none takes time in proportion to its length', (t) => {
  const page = '<a b="'.repeat(8) + '<a x '.repeat(10_000);
  const looksFor = (pieces: readonly string[]): number => {
    const looks = t.mock.method(RegExp.prototype, 'exec').mock;
    const text = shown(pieces);
    looks.restore();
    assert.equal(text, pieces.join(''));
    return looks.callCount();
  };
  const looks = looksFor([page]);
  assert.ok(looks < 3 * looksFor([page.slice(0, page.length / 2)]));
  assert.ok(looksFor([...page]) < 3 * looks);
});
