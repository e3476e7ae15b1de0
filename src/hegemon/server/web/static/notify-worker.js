// Some browsers show notifications only through a worker: a click opens the page that it came from.

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const address = event.notification.data;
  event.waitUntil(self.clients.matchAll({ type: "window", includeUncontrolled: true }).then((pages) => {
    const page = pages.find(({ url }) => url === address);
    return page ? page.focus() : self.clients.openWindow(address);
  }));
});
