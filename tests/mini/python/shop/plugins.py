from shop import report
from shop.pricing.rules import Rule
import shop.pricing.taxes as t


class Plugin:
    rule: Rule = None

    def install(self, host):
        host.connect(self.run)
        return self

    def run(self, event):
        self.rule.apply(t.DEFAULT)
        return report.summary([event])


def load_all():
    plugins = [Plugin().install(host) for host in ()]
    for plugin in plugins:
        plugin.run(None)
    return {name: Plugin for name in "ab"}
