package io.headwater.connect.lineage;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.MDC;

/**
 * The connector and task that a transform belongs to. The worker provides them only in its log context (KIP-449):
 * {@code [orders-sink|task-0] }.
 */
record WorkerContext(String connector, int task) {
    private static final Pattern LOG_CONTEXT = Pattern.compile("\\[(.+)\\|task-(\\d+)(?:\\|[^\\]]*)?\\] ?");

    /** That of the calling thread, while a worker creates a task. Connector "" and task -1 are unknown. */
    static WorkerContext current() {
        return parse(MDC.get("connector.context"));
    }

    static WorkerContext parse(String logContext) {
        Matcher match = LOG_CONTEXT.matcher(logContext == null ? "" : logContext);
        return match.matches() ? new WorkerContext(match.group(1), Integer.parseInt(match.group(2))) : new WorkerContext("", -1);
    }
}
