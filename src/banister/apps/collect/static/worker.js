// Keeps the page, its files and the campaigns that were opened, so that they work offline. Reports pass it untouched.
const KEPT = "banister-collect-1", FILES = ["/a/page.css", "/a/page.mjs", "/a/client.mjs"];
addEventListener("install", event => event.waitUntil(caches.open(KEPT).then(cache => cache.addAll(FILES)).then(() => skipWaiting())));
addEventListener("activate", event => event.waitUntil(clients.claim().then(() => clients.matchAll()).then(all => caches.open(KEPT).then(cache => Promise.all(all.map(one => { const path = new URL(one.url).pathname.split("/").slice(0, 3).join("/"); return cache.addAll([path, `${path}/campaign`]); }))))));
addEventListener("fetch", event => {
  const { method, url } = event.request;
  if (method !== "GET" || !new URL(url).pathname.startsWith("/a/")) return;
  event.respondWith(fetch(event.request).then(answer => { if (answer.ok) { const copy = answer.clone(); caches.open(KEPT).then(cache => cache.put(url, copy)); } return answer; }, () => caches.match(url, { ignoreSearch: true }).then(found => found ?? Response.error())));
});
