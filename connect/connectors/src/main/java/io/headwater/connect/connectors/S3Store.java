package io.headwater.connect.connectors;

import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.RetriableException;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/** A bucket of Amazon S3 or of a compatible store. */
public final class S3Store implements ObjectStore {
    // Far below max.poll.interval.ms (5 minutes), after which Kafka removes a consumer from its group.
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final String bucket;
    private final S3Client client;

    public S3Store(S3SinkConfig config) {
        bucket = config.getString(S3SinkConfig.BUCKET);
        S3ClientBuilder builder = S3Client.builder()
                .region(Region.of(config.getString(S3SinkConfig.REGION)))
                .httpClient(UrlConnectionHttpClient.create())
                .overrideConfiguration(override -> override.apiCallTimeout(TIMEOUT))
                // Other stores do not support the checksums that AWS's client adds by default.
                .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED);
        String url = config.getString(S3SinkConfig.STORE_URL);
        if (!url.isEmpty()) {
            builder.endpointOverride(URI.create(url)).forcePathStyle(true);
        }
        String accessKey = config.getString(S3SinkConfig.ACCESS_KEY);
        if (!accessKey.isEmpty()) {
            String secretKey = config.getPassword(S3SinkConfig.SECRET_KEY).value();
            builder.credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create(accessKey, secretKey)));
        }
        client = builder.build();
    }

    @Override
    public void put(String key, byte[] content) {
        send("put " + key, () -> client.putObject(put -> put.bucket(bucket).key(key), RequestBody.fromBytes(content)));
    }

    @Override
    public List<String> list(String prefix, String after) {
        return send("list " + prefix, () -> client.listObjectsV2(list -> list.bucket(bucket).prefix(prefix).startAfter(after)))
                .contents().stream().map(S3Object::key).toList();
    }

    /** One by one: not every store can delete several at once, and there are few. */
    @Override
    public void delete(Collection<String> keys) {
        for (String key : keys) {
            send("delete " + key, () -> client.deleteObject(delete -> delete.bucket(bucket).key(key)));
        }
    }

    private <T> T send(String operation, Supplier<T> request) {
        try {
            return request.get();
        } catch (S3Exception e) {
            String message = "bucket " + bucket + " refused to " + operation + ": " + e.getMessage();
            if (e.statusCode() >= 500 || e.statusCode() == 429) {
                throw new RetriableException(message, e);
            }
            throw new ConnectException(message, e);
        } catch (SdkException | UncheckedIOException e) { // the latter for a broken connection
            throw new RetriableException("cannot " + operation + " in bucket " + bucket + ": " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
