"""A headless browser with a simulated push service, and its service worker.

The pages get a test subscription with its own keys; pushes are delivered through the protocol of the
browser's developer tools, and a click on a notice is an event for the worker.
"""

import json
import time

from playwright.sync_api import Page
from waiting import block_until

#: Everything is cached, and the worker controls the page.
READY = """async () => {
  const { active } = await navigator.serviceWorker.ready;
  if (active.state !== "activated") await new Promise((on) => { active.onstatechange = on; });
  return (await (await caches.open("hegemon")).keys()).length;
}"""

#: The address of the subscription is remembered, so that all pages know it.
_PHONE = """(() => {
  const { endpoint, public_key: p256dh, secret: auth } = %s;
  const subscription = {
    get options() { return { applicationServerKey: Uint8Array.from(localStorage.getItem("key").split(",")) }; },
    get endpoint() { return localStorage.getItem("phone"); },
    toJSON() { return { endpoint: this.endpoint, keys: { p256dh, auth } }; },
    async unsubscribe() { localStorage.removeItem("phone"); },
  };
  PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
    localStorage.setItem("key", applicationServerKey.join());
    localStorage.setItem("phone", endpoint);
    return subscription;
  };
  PushManager.prototype.getSubscription = async () => subscription.endpoint && subscription;
})()"""

#: Remembers that a page has registered the worker, which it does last.
SETTLING = """(() => {
  const { register } = ServiceWorkerContainer.prototype;
  ServiceWorkerContainer.prototype.register = function (...facts) {
    window.settled = true;
    return register.apply(this, facts);
  };
})()"""

#: A device whose keys do not matter.
ANY_PHONE = {
    "endpoint": "https://push.example.org/phone",
    "public_key": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    "secret": "BTBZMqHH6r4Tts7J_aSIgg",
}

_SHOWN = """async () => (await registration.getNotifications()).map(
  ({ title, body, silent, data }) => ({ title, body, silent, path: data.path })
)"""

#: Notes that a push has arrived.
_LISTEN = """() => {
  self.arrived = false;
  self.addEventListener("push", () => { self.arrived = true; }, { once: true });
}"""

#: The browser waits for the handlers of its own events; for an event created here, the script has to wait.
_DISPATCH = """
  let work;
  event.waitUntil = (promise) => { work = promise; };
  self.dispatchEvent(event);
  await work;
"""


def settle(page: Page) -> None:
    """Wait until a page with the script SETTLING has finished its work after loading."""
    page.wait_for_function("() => window.settled")


class Phone:
    """The browser of a page, with a push service, and its worker."""

    def __init__(self, page: Page, form: dict[str, str] = ANY_PHONE) -> None:
        self._context = page.context
        page.add_init_script(_PHONE % json.dumps(form))
        page.add_init_script(SETTLING)

    def connect(self, page: Page) -> None:
        """Find the worker, by a page that stays open."""
        self._session, found = self._context.new_cdp_session(page), []
        self._session.on(
            "ServiceWorker.workerRegistrationUpdated", lambda it: found.extend(it["registrations"])
        )
        self._session.send("ServiceWorker.enable")
        block_until(lambda: page.evaluate("1") and found)
        self._facts = {
            "origin": found[0]["scopeURL"].rstrip("/"),
            "registrationId": found[0]["registrationId"],
        }

    def deliver(self, notice: dict) -> None:
        """Let a push arrive; the developer tools may lose it on a busy machine, so it is repeated until it has."""
        while True:
            self.do(_LISTEN)
            self._session.send("ServiceWorker.deliverPushMessage", self._facts | {"data": json.dumps(notice)})
            for _ in range(200):
                if self.do("() => self.arrived"):
                    return
                time.sleep(0.02)

    def do(self, script: str, argument=None):
        """Let the worker execute a script."""
        return self._context.service_workers[0].evaluate(script, argument)

    @property
    def shown(self) -> list[dict]:
        return self.do(_SHOWN)

    @property
    def titles(self) -> list[str]:
        return [notice["title"] for notice in self.shown]

    def hold_time(self) -> None:
        """Hold the worker's timers until a test releases them."""
        self.do("() => { self.setTimeout = (work, _, ...facts) => { self.later = () => work(...facts); }; }")

    def let_pass(self) -> None:
        self.do("() => later()")

    def click(self) -> dict[str, str]:
        """Click on the notice; return what it opens or focuses, which only a real click is allowed to do."""
        return self.do(
            f"""async () => {{
              const found = {{}}, [notification] = await registration.getNotifications();
              clients.openWindow = async (path) => {{ found.opened = path; }};
              WindowClient.prototype.focus = async function () {{ found.focused = new URL(this.url).pathname; }};
              const event = new NotificationEvent("notificationclick", {{ notification }});
              {_DISPATCH}
              return found;
            }}"""
        )

    def move(self, old: str, new: dict[str, str]) -> None:
        """Let the browser change the endpoint of its subscription."""
        self.do(
            f"""async ([endpoint, {{ endpoint: other, public_key: p256dh, secret: auth }}]) => {{
              const newSubscription = {{ toJSON: () => ({{ endpoint: other, keys: {{ p256dh, auth }} }}) }};
              const facts = {{ oldSubscription: {{ endpoint }}, newSubscription }};
              const event = Object.assign(new Event("pushsubscriptionchange"), facts);
              {_DISPATCH}
            }}""",
            [old, new],
        )
