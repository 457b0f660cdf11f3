"""How the lab starts a JVM."""

# One collector thread and no optimising compiler: half the memory and a quicker start, at a speed that no
# laptop's demo notices.
JVM = ("{java}", "-Xmx{memory}m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Djava.net.preferIPv4Stack=true")

LOG4J = """\
status=error
appender.console.type=Console
appender.console.name=console
appender.console.layout.type=PatternLayout
appender.console.layout.pattern=%d{{ISO8601}} %p %c{{1}}: %m%n
rootLogger.level=info
rootLogger.appenderRef.console.ref=console
"""
